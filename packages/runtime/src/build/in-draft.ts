import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { removeTree } from './folders.ts';
import { createBuildLog, type BuildLog } from './build-log.ts';
import type { Builder, BuildRequest } from './outcome.ts';
import { BuildError } from './problem.ts';

type BuildIn<Built> = (
  draft: string,
  archive: Readable,
  digest: string,
  log: BuildLog,
  signal: AbortSignal,
  request: BuildRequest,
) => Promise<Built>;

/**
 * Runs a build in a draft folder, which is removed at its end. A fault of the source is an outcome, not an exception.
 */
export function inDraft<Built extends object>(
  runtimeDir: string,
  now: () => number,
  buildIn: BuildIn<Built>,
): Builder<Built>['build'] {
  return async (archive, digest, onLine, signal, request = {}) => {
    if (!/^[0-9a-f]{64}$/.test(digest)) throw new Error(`Not a SHA-256 digest in hexadecimal digits: ${digest}`);
    const draft = join(runtimeDir, 'drafts', randomUUID());
    try {
      signal.throwIfAborted();
      await mkdir(draft, { recursive: true, mode: 0o711 });
      return { ok: true, built: await buildIn(draft, archive, digest, createBuildLog(onLine, now), signal, request) };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof BuildError) return { ok: false, problem: error.problem };
      throw error;
    } finally {
      archive.destroy();
      await removeTree(draft);
    }
  };
}
