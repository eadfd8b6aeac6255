import { createHash, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';

/** A data folder at an engine that others use too: only what carries its id is ours to end or remove. */
export interface Installation {
  /** Told to everybody: it is in labels, and so in the logs of builds. */
  readonly id: string;
  /** The name of an image for a source. Nobody can guess it, so no Dockerfile of somebody else can begin with it. */
  imageFor(digest: string): string;
  /** The name that all images share, before their tag. */
  readonly repository: string;
}

export function installationOf(runtimeDir: string): Installation {
  const secret = secretOf(join(runtimeDir, 'installation.key'));
  const hash = (text: string): string => createHash('sha256').update(`${secret} ${text}`).digest('hex');
  const id = hash('id').slice(0, 12);
  const repository = `kethub-${id}`;
  return { id, repository, imageFor: (digest) => `${repository}:${hash(`image ${digest}`).slice(0, 40)}` };
}

/** Made once. */
function secretOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  // Appears whole or not at all, and of two that make it one wins.
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
