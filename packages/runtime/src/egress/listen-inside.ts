import { spawn, type SendHandle } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('listen-main.ts', import.meta.url));
/** Milliseconds for entering the namespace. Beyond them the start fails. */
const LONGEST_MS = 20_000;

/** The first process of a container, as its engine reports it. */
export interface Inside {
  containerId: string;
  pid: number;
}

/** A listening socket that nothing in this process accepts from. */
export type ListeningSocket = SendHandle & { close(): void };

/**
 * Makes a socket that listens inside the network namespace of a container.
 * @throws when that namespace cannot be entered.
 */
export async function listenInside(inside: Inside): Promise<ListeningSocket> {
  requireWayInto(inside);
  const child = spawn('nsenter', [`--net=/proc/${inside.pid}/ns/net`, '--', process.execPath, MAIN], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    cwd: '/',
    timeout: LONGEST_MS,
  });
  const said = child.stderr === null ? '' : text(child.stderr).catch(() => '');
  const socket = await new Promise<ListeningSocket | null>((resolve) => {
    child.once('message', (_message, handle) => {
      resolve((handle ?? null) as ListeningSocket | null);
    });
    child.once('error', () => {
      resolve(null);
    });
    child.once('close', () => {
      resolve(null);
    });
  });
  if (socket === null) throw new Error(`The way to its hosts could not be opened: ${(await said).trim()}`);
  return socket;
}

/** Checks that the process is on this machine. The engine may be elsewhere and name processes of its own machine. */
function requireWayInto({ containerId, pid }: Inside): void {
  const remedy = 'Containers with hosts need a worker that runs as root on the machine of its container engine.';
  if (process.getuid?.() !== 0) throw new Error(remedy);
  const isIt = readIfThere(`/proc/${pid}/cgroup`).includes(containerId);
  if (!isIt || readlinkSync(`/proc/${pid}/ns/net`) === readlinkSync('/proc/self/ns/net')) throw new Error(remedy);
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // there is no such process here
  }
}
