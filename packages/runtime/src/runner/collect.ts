import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  opendirSync,
} from 'node:fs';
import { errorCode } from '../errors.ts';
import type { OutputFile } from '../types.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;

export interface Collected {
  files: OutputFile[];
  /** Reasons why entries of the folder are not offered, one sentence each. */
  refused: string[];
  bytes: number;
  /** The limit, of files or bytes, that excludes some entries; null when none does. */
  exceeded: 'FILES' | 'BYTES' | null;
}

export interface Kind {
  readonly name: string;
  readonly kept: string;
  readonly taken: readonly string[];
}

const RESULT_FILES: Kind = { name: 'result file', kept: 'offered', taken: ['self', 'status'] };
export const POOL_FILES: Kind = { name: 'entry', kept: 'a file of a data pool', taken: [] };

/** Refusals that are listed one by one. More are only counted. */
const MOST_REFUSALS = 50;
/**
 * Names that are read beyond the limit of files. More are not read: a folder of a million would block other executions.
 */
const MOST_ENTRIES_MORE = 10_000;

/**
 * Collects the regular files at the top level of a program's output folder; nothing else is offered. Offered files lose
 * their owner and mode (a setuid bit, or a file that its owner cannot read). Call it only when every process of the
 * sandbox is dead: then nothing changes between the check and the opening.
 * @param uncounted the name of the result, which has a limit of its own.
 * @param kind the words for these files in messages, and the names that are reserved.
 */
export function collect(
  dir: string,
  limits: { outputFiles: number; outputBytes: number },
  uid: number | null,
  uncounted: string | null = null,
  kind: Kind = RESULT_FILES,
): Collected {
  const files: OutputFile[] = [];
  const refused: string[] = [];
  let bytes = 0;
  let unlisted = 0;
  let counted = 0;
  let exceeded: Collected['exceeded'] = null;
  const refuse = (name: string, why: string): void => {
    if (refused.length < MOST_REFUSALS)
      refused.push(`The ${kind.name} ${JSON.stringify(name.slice(0, 100))} is not ${kind.kept}: ${why}.`);
    else unlisted += 1;
  };
  chmodSync(dir, 0o700); // a program under our own user may have locked us out
  const folder = openSync(dir, O_RDONLY | O_NOFOLLOW | O_DIRECTORY);
  // Systems without /proc reach the folder by its path: there, the program and ket are the same user.
  const pinned = existsSync('/proc/self/fd') ? `/proc/self/fd/${folder}` : dir;
  try {
    // Sorted, so that the first names are those that are offered.
    for (const raw of namesIn(pinned, limits.outputFiles + MOST_ENTRIES_MORE).sort(Buffer.compare)) {
      const name = raw.toString('utf8');
      const why = nameProblem(name, raw, kind.taken);
      if (why !== null) {
        refuse(name, why);
        continue;
      }
      const isResult = name === uncounted;
      if (counted >= limits.outputFiles && !isResult) {
        exceeded ??= 'FILES';
        refuse(name, `an execution may leave at most ${limits.outputFiles} files`);
        continue;
      }
      const found = inspect(`${pinned}/${name}`, uid);
      if ('why' in found) refuse(name, found.why);
      else if (bytes + found.bytes > limits.outputBytes && !isResult) {
        exceeded ??= 'BYTES';
        refuse(name, `all files together may have ${limits.outputBytes} bytes`);
      } else {
        bytes += isResult ? 0 : found.bytes;
        counted += isResult ? 0 : 1;
        files.push({ name, bytes: found.bytes, path: `${dir}/${name}`, ...(isResult && { isResult }) });
      }
    }
  } finally {
    closeSync(folder);
  }
  if (unlisted > 0) refused.push(`${unlisted} more entries are not ${kind.kept}.`);
  return { files: files.sort((a, b) => (a.name < b.name ? -1 : 1)), refused, bytes, exceeded };
}

/** Reads the first names of a folder, in no order. No more than these are ever in memory. */
function namesIn(dir: string, most: number): Buffer[] {
  // @types/node: `encoding` of opendir(3) takes what readdir(3) takes.
  const folder = opendirSync(dir, { encoding: 'buffer' as BufferEncoding, bufferSize: 256 });
  const names: Buffer[] = [];
  try {
    for (let entry = folder.readSync(); entry !== null && names.length < most; entry = folder.readSync())
      names.push(entry.name as unknown as Buffer);
  } finally {
    folder.closeSync();
  }
  return names;
}

function nameProblem(name: string, raw: Buffer, taken: readonly string[]): string | null {
  if (!Buffer.from(name).equals(raw)) return 'its name is not valid UTF-8';
  // Control characters, path separators, and characters that change the direction of the text around them.
  if (/[\p{Cc}/\\\u202a-\u202e\u2066-\u2069]/u.test(name)) return 'its name holds control characters or slashes';
  if (taken.includes(name)) return 'the name is taken by a link of the result';
  return null;
}

function inspect(path: string, uid: number | null): { bytes: number } | { why: string } {
  const kind = lstatSync(path);
  if (kind.isSymbolicLink()) return { why: 'it is a symbolic link' };
  if (kind.isDirectory()) return { why: 'it is a folder; only files at the top are' };
  if (!kind.isFile()) return { why: 'it is not a regular file' };
  if (kind.nlink !== 1) return { why: 'it is a hard link' };
  if (uid !== null && kind.uid !== uid) return { why: 'it does not belong to the program' };
  if (uid === null) chmodSync(path, 0o600);
  let file: number;
  try {
    file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    return { why: `it cannot be opened (${errorCode(error) ?? 'unknown'})` };
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.ino !== kind.ino || stat.dev !== kind.dev)
      return { why: 'it changed while it was looked at' };
    if (uid !== null) fchownSync(file, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
    fchmodSync(file, 0o600);
    return { bytes: stat.size };
  } finally {
    closeSync(file);
  }
}
