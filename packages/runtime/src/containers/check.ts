import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { errorCode, messageOf } from '../errors.ts';
import type { SandboxCheck } from '../types.ts';
import { USER } from './description.ts';
import { Engine } from './engine.ts';

/** Debian's package busybox-static; the package busybox has it at the same place, but linked to libraries. */
export const BUSYBOX = '/bin/busybox';

const PROGRAM_INTERPRETER = 3;

const USUAL_SOCKETS = ['/run/docker.sock', '/var/run/docker.sock', '/run/podman/podman.sock'];

/** The socket of the container engine of this machine, or undefined where none is at its usual place. */
export function usualEngine(): string | undefined {
  return USUAL_SOCKETS.find((path) => existsSync(path));
}

/** Whether containers can be run with the engine at this socket, and what is missing otherwise. */
export async function checkContainers(socketPath: string): Promise<SandboxCheck> {
  const user = process.getuid?.();
  if (user !== 0 && user !== USER)
    return {
      usable: false,
      reason: `The platform runs as user ${user}, and what containers write belongs to user ${USER}.`,
      remedy: `Run the worker as root, or as user ${USER}.`,
    };
  if (!isStatic(BUSYBOX))
    return {
      usable: false,
      reason: `There is no statically linked ${BUSYBOX}.`,
      remedy: 'apt-get install busybox-static',
    };
  try {
    const { Version } = (await new Engine(socketPath).ask('GET', '/version')) as { Version: string };
    return { usable: true, how: `container engine ${Version} at ${socketPath}` };
  } catch (error) {
    return {
      usable: false,
      reason: `No container engine answers at ${socketPath}: ${messageOf(error)}.`,
      remedy: 'apt-get install docker.io',
    };
  }
}

/** Whether a file is a program for 64 bit that needs no loader and no libraries (elf(5)). */
function isStatic(path: string): boolean {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
  try {
    const start = Buffer.alloc(4096);
    readSync(file, start, 0, start.length, 0);
    if (start.toString('latin1', 0, 5) !== '\u007fELF\u0002') return false;
    const [offset, size, count] = [Number(start.readBigUInt64LE(32)), start.readUInt16LE(54), start.readUInt16LE(56)];
    for (let index = 0; index < count; index++) {
      if (start.readUInt32LE(offset + index * size) === PROGRAM_INTERPRETER) return false;
    }
    return true;
  } finally {
    closeSync(file);
  }
}
