import { statfs } from 'node:fs/promises';
import type { Engine } from '../containers/engine.ts';

const LOOK_MS = 1_000;
/** Bytes that stay free for everything else on the machine. Below them a build is ended. */
const RESERVE_BYTES = 2 ** 30;

/**
 * Calls back when the disk of the engine has lost more than this since now, or is nearly full: no engine limits what a
 * build writes. In one look a fast disk takes some hundred MB.
 * @returns what ends the watch.
 */
export async function watchDisk(
  engine: Engine,
  growthBytes: number,
  exceeded: (detail: string) => void,
): Promise<() => void> {
  const { DockerRootDir } = (await engine.ask('GET', '/info')) as { DockerRootDir: string };
  const before = await freeBytes(DockerRootDir);
  if (before === null) return () => undefined;
  const timer = setInterval(() => {
    void freeBytes(DockerRootDir).then((free) => {
      if (free === null) return;
      if (before - free > growthBytes)
        exceeded(`The build wrote more than ${growthBytes} bytes to the disk of the engine.`);
      else if (free < RESERVE_BYTES) exceeded('The disk of the container engine is full.');
    });
  }, LOOK_MS);
  return () => {
    clearInterval(timer);
  };
}

/** Null where we cannot look: then only time and memory bound a build. */
async function freeBytes(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
