import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { CliFailure } from '../failures.ts';
import type { ProjectFile } from './files.ts';

export interface Archive {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 in hex. */
  readonly digest: string;
  /** Removes the file. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Writes a ZIP into a temporary folder. The same files give the same bytes, whatever their times and the time zone. DOS times are fixed, and without the UTC field, because they
 * are local by nature. There are two file modes, and the order is the given one.
 */
export async function pack(files: readonly ProjectFile[]): Promise<Archive> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'ket-'));
  const archive = path.join(folder, 'source.zip');
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const digest = createHash('sha256');
    let bytes = 0;
    const measure = new Transform({
      transform(piece: Buffer, _encoding, done) {
        digest.update(piece);
        bytes += piece.length;
        done(null, piece);
      },
    });
    await pipeline(zipOf(files, measure).outputStream, measure, createWriteStream(archive, { mode: 0o600 }));
    return { path: archive, bytes, digest: digest.digest('hex'), [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * A ZIP that is read while it is written. Its failures go to `output`, because yazl reports them outside its stream.
 */
function zipOf(files: readonly ProjectFile[], output: Transform): ZipFile {
  const zip = new ZipFile();
  zip.on('error', (error: Error) => output.destroy(packingFailure(error)));
  for (const { path: source, name, executable } of files) {
    const options = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true, mode: executable ? 0o100755 : 0o100644 };
    if (typeof source === 'string') zip.addFile(source, name, options);
    else zip.addBuffer(source, name, options);
  }
  zip.end();
  return zip;
}

/** A file that cannot be read keeps its own error. Any other error is a file that changed while it was read. */
function packingFailure(error: Error): Error {
  if ('code' in error) return error;
  return new CliFailure('usage', 'packing-failed', `The folder could not be packed: ${error.message}.`, ['ket up']);
}
