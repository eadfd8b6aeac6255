import { KethubError } from '@kethub/client';
import type { Platform } from '../../data/client.ts';
import { SHOWN_BYTES, type At } from '../../data/implementation-queries.ts';
import { bytes } from '../../look/time.ts';
import { lineEndsOf } from './line-ends.ts';
import { textOf } from './use-text.ts';

/** A file of a branch as somebody begins to edit it; `id` is null for one that is not there yet. */
export interface Begun {
  readonly branch: string;
  readonly head: string | null;
  readonly path: string;
  readonly id: string | null;
  readonly text: string;
}

/** Reads what an editor begins with, all of one commit; or says why the file cannot be edited here. */
export async function beginToEdit(
  platform: Platform,
  implementationId: string,
  { ref, path }: At,
  signal: AbortSignal,
): Promise<Begun | string> {
  const { branches, defaultBranch } = await platform.listImplementationRefs({ implementationId, signal });
  const branch = ref ?? defaultBranch;
  const head = branches.find(({ name }) => name === branch)?.commit ?? null;
  if (ref !== null && head === null) return `${ref} is no branch. Choose a branch first: a change adds a commit to it.`;
  if (head === null || isNew(path)) return { branch, head, path, id: null, text: '' };
  const entry = await readEntry(platform, implementationId, head, path);
  if (!entry?.isFile) return 'There is no file of this name here.';
  if (entry.bytes > SHOWN_BYTES) return TOO_LONG;
  const text = await readText(platform, implementationId, head, path);
  if (text === null) return 'It is no text in UTF-8. Use Git to change it.';
  if (lineEndsOf(text) === 'MIXED')
    return 'Its lines end in different ways, which a browser does not keep. Use Git to change it.';
  return { branch, head, path, id: entry.id, text };
}

/** The commit that a branch is at now; null where there is none. */
export async function readHead(platform: Platform, implementationId: string, branch: string): Promise<string | null> {
  const { branches } = await platform.listImplementationRefs({ implementationId });
  return branches.find(({ name }) => name === branch)?.commit ?? null;
}

/** The file as it is on the branch now, for a comparison with what is typed. */
export async function readFileNow(
  platform: Platform,
  implementationId: string,
  branch: string,
  path: string,
): Promise<Begun> {
  const head = await readHead(platform, implementationId, branch);
  const entry = head === null || isNew(path) ? null : await readEntry(platform, implementationId, head, path);
  if (head === null || !entry) return { branch, head, path, id: null, text: '' };
  const text = entry.bytes > SHOWN_BYTES ? null : await readText(platform, implementationId, head, path);
  if (text === null)
    throw new KethubError({
      code: 'conflict',
      status: 409,
      title: 'Somebody else has changed this file',
      detail: 'It is too long to be edited here now, or no text any more. Copy what you typed, and use Git.',
    });
  return { branch, head, path, id: entry.id, text };
}

const TOO_LONG = `Files of more than ${bytes(SHOWN_BYTES)} are not edited here. Use Git.`;

/** Returns whether a path is that of a folder, or empty: the file gets its name in the form. */
function isNew(path: string): boolean {
  return path === '' || path.endsWith('/');
}

/** The entry at a path in a commit or branch; null where there is none. */
export async function readEntry(platform: Platform, implementationId: string, ref: string, path: string) {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const parent = path.slice(0, -name.length - 1);
  try {
    const tree = await platform.readImplementationTree({
      implementationId,
      ref,
      ...(parent !== '' && { path: parent }),
      ...(name !== '' && { q: name }),
    });
    const entry = tree.entries.find((one) => one.name === name);
    return entry ? { id: entry.id, isFile: entry.type === 'FILE', bytes: entry.bytes ?? Infinity } : null;
  } catch (error) {
    if (error instanceof KethubError && error.status === 404) return null;
    throw error;
  }
}

/** The text of a file; null where it is no UTF-8. */
async function readText(
  platform: Platform,
  implementationId: string,
  ref: string,
  path: string,
): Promise<string | null> {
  const content = await platform.readImplementationFile({ implementationId, ref, path });
  return textOf(new Uint8Array(await content.arrayBuffer()));
}
