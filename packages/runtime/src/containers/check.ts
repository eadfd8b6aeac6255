import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { errorCode, messageOf } from '../errors.ts';
import type { SandboxCheck } from '../types.ts';
import { USER } from './description.ts';
import { Engine } from './engine.ts';

/** Path of Debian's package busybox-static. The package busybox has the same path, but its program needs libraries. */
export const BUSYBOX = '/bin/busybox';

/** PT_INTERP of elf(5): a program header that names a loader. */
const PROGRAM_INTERPRETER = 3;

const USUAL_SOCKETS = ['/run/docker.sock', '/var/run/docker.sock', '/run/podman/podman.sock'];

/** Finds the socket of the container engine of this machine. Undefined when it is at none of the usual paths. */
export function usualEngine(): string | undefined {
  return USUAL_SOCKETS.find((path) => existsSync(path));
}

/** Checks whether this engine can run containers, and otherwise names what is missing. */
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

/** Returns whether a file is a 64-bit program that needs no loader and no libraries (elf(5)). */
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
