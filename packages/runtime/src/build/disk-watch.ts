import { statfs } from 'node:fs/promises';
import type { Engine } from '../containers/engine.ts';

/** Milliseconds between two looks at the free space. */
const LOOK_MS = 1_000;
/** Bytes that stay free for everything else on the machine. Below them a build is ended. */
const RESERVE_BYTES = 2 ** 30;

/**
 * Calls back when the disk of the engine has lost more than `growthBytes` since now, or is nearly full. Engines do not
 * limit what a build writes. Between two looks a fast disk takes some hundred MB.
 * @returns a function that ends the watch.
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

/** Null when the disk cannot be inspected. Then only time and memory limit a build. */
async function freeBytes(folder: string): Promise<number | null> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}
