import net from 'node:net';
import { Refusal, type Configuration } from '../config/index.ts';

/**
 * The port itself, or a free one for 0. To be called before anything else is started: public addresses contain the
 * number, and a port in use is then refused early. Throws Refusal.
 */
export async function usablePort(host: string, port: number, setting: string): Promise<number> {
  const server = net.createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(refusal(error, host, port, setting)));
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}

/** Returns whether a process is a worker and nothing else. */
export function isAlone({ worker, api, gateway, git }: Configuration['roles']): boolean {
  return worker && !api && !gateway && !git;
}

export interface Ports {
  readonly api: number;
  readonly gateway: number;
  readonly worker: number;
}

/** Names under which systemd passes listening sockets to this process. */
export type SocketName = 'platform' | 'gateway' | 'worker';

/** The ports of the roles that this process plays; those of the others, and of sockets from systemd, as they are set. */
export async function usablePorts(
  { host, port, gatewayPort, workerPort, roles }: Configuration,
  sockets: ReadonlyMap<string, number>,
): Promise<Ports> {
  const usable = (isPlayed: boolean, name: SocketName, wanted: number, setting: string): Promise<number> | number =>
    isPlayed && !sockets.has(name) ? usablePort(host, wanted, setting) : wanted;
  return {
    api: await usable(roles.api || roles.git, 'platform', port, 'KETHUB_PORT'),
    gateway: await usable(roles.gateway, 'gateway', gatewayPort, 'KETHUB_GATEWAY_PORT'),
    worker: await usable(isAlone(roles), 'worker', workerPort, 'KETHUB_WORKER_PORT'),
  };
}

function refusal(error: NodeJS.ErrnoException, host: string, port: number, setting: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new Refusal(
        `Port ${port} is in use by another program. Stop that program, or choose another port: ${setting}=${port + 1000}`,
      );
    case 'EACCES':
      return new Refusal(
        `Port ${port} may not be used by this user. Choose one from 1024 on: ${setting}=${port + 8000}`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new Refusal(`This machine has no address ${host}. Correct KETHUB_HOST.`);
    default:
      return error;
  }
}

/** The first descriptor that systemd passes to a service. */
const FIRST = 3;

/**
 * The listening sockets that systemd has opened for this process, by their name (`FileDescriptorName`). They stay open
 * while the process restarts: connections wait there and are not refused.
 */
export function passedSockets(environment: NodeJS.ProcessEnv, pid: number = process.pid): ReadonlyMap<string, number> {
  const { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES = '' } = environment;
  if (LISTEN_PID !== String(pid)) return new Map();
  const names = LISTEN_FDNAMES.split(':').slice(0, Number(LISTEN_FDS));
  return new Map(names.map((name, index) => [name, FIRST + index]));
}
