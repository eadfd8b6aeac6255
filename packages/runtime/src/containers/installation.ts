import { createHash, randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';

/** A data folder as one of several users of an engine. We end or remove only what carries its id. */
export interface Installation {
  /** Public: it is in labels, and so in the logs of builds. */
  readonly id: string;
  /**
   * Public: where the data folder lies. A copy of the folder has the same id and another place. A folder keeps it over
   * restarts, but not on its way to another disk or machine.
   */
  readonly place: string;
  /** The image name for a source. It cannot be guessed, so no foreign Dockerfile can use the image as its base. */
  imageFor(digest: string): string;
  /** The part before the tag, which all images share. */
  readonly repository: string;
}

export function installationOf(runtimeDir: string): Installation {
  const file = join(runtimeDir, 'installation.key');
  const secret = secretOf(file);
  const hash = (text: string): string => createHash('sha256').update(`${secret} ${text}`).digest('hex');
  const id = hash('id').slice(0, 12);
  const repository = `kethub-${id}`;
  const place = hash(`place ${spotOf(file)}`).slice(0, 12);
  return { id, place, repository, imageFor: (digest) => `${repository}:${hash(`image ${digest}`).slice(0, 40)}` };
}

/**
 * The machine, the inode and the birth of a file. A copy on a fresh disk may get the same inode. The host name is left
 * out: a container has a new one each time.
 */
function spotOf(file: string): string {
  const { ino, birthtimeNs } = statSync(file, { bigint: true });
  return `${machineId()} ${ino} ${birthtimeNs}`;
}

/** The id of this machine; empty where it has none, as in most containers. */
function machineId(): string {
  try {
    return readFileSync('/etc/machine-id', 'latin1').trim();
  } catch {
    return '';
  }
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
