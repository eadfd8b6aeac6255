import type { Readable } from 'node:stream';
import type { Entry, ZipFile } from 'yauzl';
import { planEntry } from './archive-entry.ts';
import { type StoredArchive, withArchive } from './stored-archive.ts';
import { DEFAULT_UNPACK_LIMITS } from './unpack.ts';

/** A file of an archive, as the build would unpack it. */
export interface ArchivedFile {
  path: string;
  /** Bytes that the archive declares; yauzl refuses a content of another length. */
  bytes: number;
}

/** Lists the files of a stored archive. Null when the build refuses the archive. */
export function filesOfArchive(archive: StoredArchive): Promise<ArchivedFile[] | null> {
  return withArchive(archive, async (zip) =>
    (await entriesOf(zip)).map(({ path, entry }) => ({ path, bytes: entry.uncompressedSize })),
  );
}

/** Opens one file of a stored archive. Null when it is not there, or the build refuses the archive. */
export function fileOfArchive(
  archive: StoredArchive,
  path: string,
): Promise<(ArchivedFile & { content: Readable }) | null> {
  return withArchive(archive, async (zip) => {
    const found = (await entriesOf(zip)).find((one) => one.path === path);
    if (!found) return null;
    const content = await zip.openReadStreamPromise(found.entry);
    return { path, bytes: found.entry.uncompressedSize, content };
  });
}

async function entriesOf(zip: ZipFile): Promise<{ path: string; entry: Entry }[]> {
  if (zip.entryCount > DEFAULT_UNPACK_LIMITS.files) throw new Error('The archive has too many entries.');
  const entries = [];
  for await (const entry of zip.eachEntry()) {
    const planned = planEntry(entry);
    if (planned.kind === 'FILE') entries.push({ path: planned.path, entry });
  }
  return entries;
}
