import { createHash, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';

/** A data folder as one of several users of an engine. We end or remove only what carries its id. */
export interface Installation {
  /** Public: it is in labels, and so in the logs of builds. */
  readonly id: string;
  /** The image name for a source. It cannot be guessed, so no foreign Dockerfile can use the image as its base. */
  imageFor(digest: string): string;
  /** The part before the tag, which all images share. */
  readonly repository: string;
}

export function installationOf(runtimeDir: string): Installation {
  const secret = secretOf(join(runtimeDir, 'installation.key'));
  const hash = (text: string): string => createHash('sha256').update(`${secret} ${text}`).digest('hex');
  const id = hash('id').slice(0, 12);
  const repository = `kethub-${id}`;
  return { id, repository, imageFor: (digest) => `${repository}:${hash(`image ${digest}`).slice(0, 40)}` };
}

/** Reads the secret of this data folder, or makes it the first time. */
function secretOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  // The link appears with its whole content. If two processes make it, one wins.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, randomBytes(16).toString('hex'), { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(file, 'latin1');
}
