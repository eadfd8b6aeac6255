import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { errorCode, messageOf } from '../errors.ts';
import { Refused, type PlatformLink } from './platform-link.ts';

/** Milliseconds for which a folder that is cut off in the middle is fetched again: a platform is restarted in less. */
const CUT_OFF_MS = 15 * 60_000;
/** Attempts in any case, and those after which a node that cannot unpack it gives up. */
const ATTEMPTS = 10;

/**
 * Fetches a folder of the platform. A connection that is lost in the middle is made again until the platform is back. A
 * refusal is final.
 */
export async function fetchFolder(link: PlatformLink, part: string, folder: string): Promise<void> {
  const from = performance.now();
  let ownFailures = 0;
  for (let attempt = 1; ; attempt++) {
    try {
      await unpack(link, part, folder);
      return;
    } catch (error) {
      if (error instanceof NotUnpacked) ownFailures += 1;
      const isLate = attempt >= ATTEMPTS && performance.now() - from > CUT_OFF_MS;
      if (error instanceof Refused || ownFailures === ATTEMPTS || isLate)
        throw new Error(`${part} could not be fetched: ${messageOf(error)}`, { cause: error });
      console.error(`${part} is fetched again: ${messageOf(error)}`);
      await link.pause(attempt);
    }
  }
}

/** The fault is on this node, such as a full disk. */
class NotUnpacked extends Error {}

async function unpack(link: PlatformLink, part: string, folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o755 });
  const archive = await link.open(`/parts/${part}`);
  const tar = spawn('tar', ['--extract', '--no-same-owner', '--directory', folder], { stdio: ['pipe', 'ignore', 'inherit'] }); // prettier-ignore
  const ended = new Promise<number | null>((resolve) => tar.once('error', () => resolve(null)).once('close', resolve));
  try {
    await pipeline(archive, tar.stdin);
  } catch (error) {
    tar.kill();
    // Nothing is written into the folder any more when it is removed.
    await ended;
    throw errorCode(error) === 'EPIPE' ? new NotUnpacked('tar could not unpack it') : error;
  }
  if ((await ended) !== 0) throw new NotUnpacked('tar could not unpack it');
}
