import { closeSync, constants, fstatSync, lstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';
import { CAUSE_BYTES, problemIn } from '../runner/cause.ts';
import { keepJson, type Written } from '../runner/result.ts';

export const RESULT_FILE = 'output.json';
const FILE = RESULT_FILE;

/**
 * Reads the main result of a container: its file `output.json`, which is a result file as well. Call it only when
 * everything in the container is dead and the file cannot change any more.
 */
export async function readOutputResult(
  output: string,
  folder: string,
  limitBytes: number,
  uid: number | null,
): Promise<Written> {
  const path = join(output, FILE);
  const why = problemOf(path, uid);
  if (why === 'IT_IS_NOT_THERE') return { kind: 'NOTHING' };
  if (why !== null)
    return { kind: 'INVALID', cause: { type: 'ResultInvalid', title: 'Result not valid', detail: `${FILE} ${why}.` } };
  return keepJson(path, 0, join(folder, 'result.json'), limitBytes);
}

/**
 * Reads the cause that a container reports in `output.json` when its exit code is not 0. It is a problem document (RFC
 * 9457), or an object with `detail` or `title`. Null for anything else. Call it after {@link readOutputResult} has
 * judged the file.
 */
export function readOutputFailure(output: string): Written | null {
  const bytes = Buffer.alloc(CAUSE_BYTES);
  const file = openSync(join(output, FILE), constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const cause = problemIn(bytes.subarray(0, readSync(file, bytes)));
    return cause && { kind: 'FAILURE', cause };
  } finally {
    closeSync(file);
  }
}

function problemOf(path: string, uid: number | null): string | null {
  try {
    const { isFile, nlink, owner } = describe(path);
    if (!isFile) return 'is not a regular file';
    if (nlink !== 1) return 'is a hard link';
    if (uid !== null && owner !== uid) return 'does not belong to the program';
    return null;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'IT_IS_NOT_THERE';
    return `cannot be read (${errorCode(error) ?? 'unknown'})`;
  }
}

function describe(path: string): { isFile: boolean; nlink: number; owner: number } {
  const entry = lstatSync(path);
  if (!entry.isFile()) return { isFile: false, nlink: 1, owner: entry.uid };
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { nlink, uid } = fstatSync(file);
    return { isFile: true, nlink, owner: uid };
  } finally {
    closeSync(file);
  }
}
