import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { INDEX_PREFIX } from '../git/repositories.ts';
import type { RefChange } from '../record-push.ts';

/** Bytes of the list of a push. The server refuses a longer list of commands before Git starts. */
const LIST_BYTES = 1024 * 1024;
const ZERO = /^0+$/;

/** The name of the file, in the folder of a repository, in which the hook `post-receive` writes what a push changed. */
export function nameForPushed(id: string): string {
  return `${INDEX_PREFIX}${id}`;
}

/** Reads and removes the file of the hook. It is not there after a push that has changed nothing. */
export async function readPushed(file: string): Promise<RefChange[]> {
  try {
    const lines = (await text(createReadStream(file, { end: LIST_BYTES - 1 }))).split('\n');
    return lines.flatMap((line) => {
      const [, from = '', to = '', ref] = /^([0-9a-f]{40,64}) ([0-9a-f]{40,64}) (.+)$/.exec(line) ?? [];
      return ref === undefined ? [] : [{ ref, from: idOf(from), to: idOf(to) }];
    });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  } finally {
    await rm(file, { force: true });
  }
}

function idOf(text: string): string | null {
  return ZERO.test(text) ? null : text;
}
