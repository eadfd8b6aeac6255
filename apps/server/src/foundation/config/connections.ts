import { readFileSync } from 'node:fs';
import { Type, type Static, type TObject } from 'typebox';

export interface ConnectionSettings {
  /** Most connections of a network, an IPv4 address or a /64 of IPv6; one more is answered with 429. */
  readonly ofAddress: number;
  /** Most connections on all ports of the process; one more replaces another, or is answered with 503. */
  readonly inAll: number;
  /** Least speed of a body; a slower one is answered with 408. 0 is no limit. */
  readonly bytesPerSecond: number;
}

export const ConnectionFields = {
  KETHUB_CONNECTIONS: Type.Integer({
    minimum: 16,
    maximum: 1_000_000,
    default: 10_000,
    description:
      'Connections that a process has open at the same time, on all of its ports, but at most three quarters of its file descriptors (`ulimit -n`). An eighth is for networks from which a person or an application was admitted within the last hour. For one more connection, the process closes the oldest one without admission, of the network with the most. If there is none, the answer is 503.',
  }),
  KETHUB_CONNECTIONS_PER_ADDRESS: Type.Integer({
    minimum: 4,
    maximum: 1_000_000,
    default: 1_000,
    description:
      'Connections of one IPv4 address, or of one /64 of IPv6, at the same time. One more is answered with 429. Through proxies that `KETHUB_TRUSTED_PROXIES` names, requests are counted instead of connections, by the address that the proxy reports.',
  }),
  KETHUB_SLOWEST_BODY: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    default: 1_000,
    description:
      'Slowest average speed of a request body, in bytes a second, after 30 s at any speed. A slower body ends with 408. 0 is no limit.',
  }),
};

export function connectionsOf(given: Static<TObject<typeof ConnectionFields>>): ConnectionSettings {
  return {
    ofAddress: given.KETHUB_CONNECTIONS_PER_ADDRESS,
    inAll: Math.max(16, Math.min(given.KETHUB_CONNECTIONS, Math.floor((descriptors() * 3) / 4))),
    bytesPerSecond: given.KETHUB_SLOWEST_BODY,
  };
}

/** The most file descriptors of this process; Infinity if unknown. */
function descriptors(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}
