import { closeSync, constants, fstatSync, lstatSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';
import { keepJson, type Written } from '../runner/result.ts';

const FILE = 'output.json';

/**
 * The main result of a container: its file `output.json`. Once kept it is no result file any more; one that cannot be kept
 * stays to be looked at. Called when everything is dead: nothing changes any more.
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
  const kept = await keepJson(path, 0, join(folder, 'result.json'), limitBytes);
  if (kept.kind === 'RESULT') rmSync(path);
  return kept;
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
