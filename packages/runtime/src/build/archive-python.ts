import type { Entry, ZipFile } from 'yauzl';
import { planEntry } from './archive-entry.ts';
import { type AskedPython, PYTHON_FILES, pythonAskedIn, TEXT_BYTES } from './asked-python.ts';
import { type StoredArchive, withArchive } from './stored-archive.ts';
import { DEFAULT_UNPACK_LIMITS } from './unpack.ts';

/**
 * Finds the Python that a stored archive asks for. It reads the directory and at most two files, and unpacks nothing.
 * Null when the archive asks for none, and when the build refuses it anyway.
 */
export function pythonOfArchive(archive: StoredArchive): Promise<AskedPython | null> {
  return withArchive(archive, async (zip) => pythonAskedIn(await textsOf(zip)));
}

async function textsOf(zip: ZipFile): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  if (zip.entryCount > DEFAULT_UNPACK_LIMITS.files) return texts;
  for await (const entry of zip.eachEntry()) {
    const planned = planEntry(entry);
    if (planned.kind === 'FILE' && (PYTHON_FILES as readonly string[]).includes(planned.path))
      texts.set(planned.path, await beginningOf(zip, entry));
  }
  return texts;
}

async function beginningOf(zip: ZipFile, entry: Entry): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= TEXT_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, TEXT_BYTES).toString();
}
