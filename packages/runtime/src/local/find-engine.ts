import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { USER } from '../containers/description.ts';
import { Engine } from '../containers/engine.ts';
import { podmanVersion } from '../containers/podman.ts';
import { messageOf } from '../errors.ts';

/** The container engine of a person's own machine. */
export interface LocalEngine {
  readonly engine: Engine;
  /** Name and version, such as `Docker 20.10.24`. */
  readonly name: string;
  /** True when it wants the filter of system calls as a file. */
  readonly isPodman: boolean;
  /** The user of programs in its containers. */
  readonly user: { readonly uid: number; readonly gid: number };
  /** True when it has to show our own user under the same number. */
  readonly keepsUser: boolean;
  /** The user that result files belong to; null for our own. */
  readonly owner: number | null;
}

/** The way to an engine, for people who have none. */
export const ENGINE_REMEDY =
  'Install Docker or Podman (Debian, Ubuntu: apt-get install docker.io; macOS: Docker Desktop, colima or podman machine), or set DOCKER_HOST=unix://<socket>.';

type Environment = Readonly<Record<string, string | undefined>>;

/** Finds the engine of DOCKER_HOST, or one at a usual socket. Returns a sentence when there is none that answers. */
export async function findEngine(environment: Environment): Promise<LocalEngine | string> {
  const host = environment['DOCKER_HOST'] ?? '';
  if (host !== '' && !host.startsWith('unix://')) return `DOCKER_HOST is ${host}; only unix:// sockets are supported`;
  const sockets = host === '' ? usualSockets(environment).filter((path) => existsSync(path)) : [host.slice(7)];
  const reasons: string[] = [];
  for (const socket of sockets) {
    try {
      return await describe(new Engine(socket));
    } catch (error) {
      reasons.push(reasonOf(socket, messageOf(error)));
    }
  }
  return reasons[0] ?? 'there is no container engine on this machine';
}

function usualSockets(environment: Environment): string[] {
  const home = environment['HOME'];
  const session = environment['XDG_RUNTIME_DIR'];
  return [
    '/run/docker.sock',
    '/var/run/docker.sock',
    ...(session === undefined ? [] : [join(session, 'docker.sock'), join(session, 'podman/podman.sock')]),
    ...(home === undefined
      ? []
      : ['.docker/run/docker.sock', '.docker/desktop/docker.sock', '.colima/default/docker.sock'].map((name) =>
          join(home, name),
        )),
    '/run/podman/podman.sock',
  ];
}

function reasonOf(socket: string, message: string): string {
  if (message.includes('EACCES'))
    return `you may not use the container engine at ${socket} (Docker: join the group docker, then sign in again)`;
  return `no container engine answers at ${socket} (${message})`;
}

async function describe(engine: Engine): Promise<LocalEngine> {
  const { Version = '' } = (await engine.ask('GET', '/version')) as { Version?: string };
  const { SecurityOptions, Rootless = false } = (await engine.ask('GET', '/info')) as {
    SecurityOptions?: string[] | null;
    /** Podman says it here, Docker among the options. */
    Rootless?: boolean;
  };
  const podman = await podmanVersion(engine);
  const isRootless = Rootless || (SecurityOptions ?? []).some((option) => option.includes('rootless'));
  const name = podman === null ? `Docker ${Version}` : `Podman ${podman}`;
  return { engine, name: name.trim(), isPodman: podman !== null, ...userOf(isRootless, podman !== null) };
}

/** Programs have our own user where that is possible, so that their files are ours. */
function userOf(isRootless: boolean, isPodman: boolean): Pick<LocalEngine, 'user' | 'keepsUser' | 'owner'> {
  const uid = process.getuid?.() ?? USER;
  const gid = process.getgid?.() ?? USER;
  // In a virtual machine (macOS), all users of containers write as the person who started it.
  if (process.platform !== 'linux') return { user: { uid: USER, gid: USER }, keepsUser: false, owner: null };
  if (uid === 0) return { user: { uid: USER, gid: USER }, keepsUser: false, owner: USER };
  if (!isRootless) return { user: { uid, gid }, keepsUser: false, owner: null };
  if (isPodman) return { user: { uid, gid }, keepsUser: true, owner: null };
  // Docker without root shows our own user as root, who has no capability there.
  return { user: { uid: 0, gid: 0 }, keepsUser: false, owner: null };
}
