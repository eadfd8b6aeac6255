import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import tls from 'node:tls';
import type { OnPremiseSettings } from '../../foundation/config/index.ts';
import { createAddressRules, type AddressRules } from '@kethub/runtime/addresses';
import { Names } from '@kethub/runtime/names';
import { isAllowedPort, type Destination } from './target.ts';

/** All IP addresses of a name. */
export type Resolve = (hostname: string) => Promise<string[]>;

/** Connections to targets, kept alive between calls. The address of each connection is checked when it is made. */
export interface Connections {
  /**
   * Begins a request. Throws Refused when the target is not allowed any more. A refused address is an error of the
   * request.
   */
  request(target: Destination, options: http.RequestOptions): http.ClientRequest;
  close(): void;
}

/** The settings of the installation do not allow a connection to this target. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/**
 * Milliseconds after which an idle connection is closed. Servers keep one open for longer (Node: 5 s), so they hardly
 * ever close it under a request.
 */
const IDLE_MS = 4_000;
/** Idle connections kept for each host. One more is closed. */
const IDLE_CONNECTIONS_PER_HOST = 64;

export function createConnections(settings: OnPremiseSettings, resolve: Resolve = resolveByDns()): Connections {
  const rules = createAddressRules(settings.networks);
  const keepAlive = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: IDLE_CONNECTIONS_PER_HOST };
  const lookup = guardedLookup(rules, resolve);
  const secure = new https.Agent({ ...keepAlive, lookup, ...trust(settings) });
  const plain = new http.Agent({ ...keepAlive, lookup });
  return {
    request(target, options) {
      requireAllowed(settings, rules, target);
      const to = { ...options, hostname: target.hostname, port: target.port, setHost: false };
      return target.secure
        ? https.request({ ...to, agent: secure, rejectUnauthorized: true })
        : http.request({ ...to, agent: plain });
    },
    close() {
      secure.destroy();
      plain.destroy();
    },
  };
}

/** Checks protocol, port and a literal address of a target again: the rules may have changed since it was set. */
function requireAllowed(settings: OnPremiseSettings, rules: AddressRules, target: Destination): void {
  if (!target.secure && !settings.http) throw new Refused('Targets must be reached over TLS');
  if (!isAllowedPort(settings, target.port)) throw new Refused(`Port ${target.port} is not allowed`);
  if (isIP(target.hostname) !== 0 && !rules.allows(target.hostname)) {
    throw new Refused(`${target.hostname} is not allowed`);
  }
}

/**
 * Resolves and checks in one step for every new connection, which then goes to the very address that was checked. A
 * name that resolves to something else a moment later (DNS rebinding) gains nothing.
 */
function guardedLookup(rules: AddressRules, resolve: Resolve): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const allowed = addresses.filter((address) => rules.allows(address));
        const [first] = allowed;
        if (first === undefined) {
          const what = addresses.length === 0 ? 'no address' : 'only addresses that are not allowed';
          callback(new Refused(`${hostname} has ${what}`), []);
        } else if (options.all)
          callback(
            null,
            allowed.map((address) => ({ address, family: isIP(address) })),
          );
        else callback(null, first, isIP(first));
      },
      (error: Error) => callback(error, []),
    );
  };
}

/**
 * Resolves names by DNS alone. Each name has one look-up at a time, so slow names of one provider do not delay others.
 */
function resolveByDns(): Resolve {
  const names = new Names({ hostsFile: null, resolvConf: null, most: Infinity });
  return async (hostname) => names.addresses(hostname);
}

function trust({ certificates }: OnPremiseSettings): { ca?: string[] } {
  return certificates === null ? {} : { ca: [...tls.getCACertificates('default'), certificates] };
}

/**
 * Returns whether an unanswered request failed because the server had closed the idle connection that it was sent on.
 */
export function wasIdle({ reusedSocket }: http.ClientRequest, error: unknown): boolean {
  return reusedSocket && error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
}
