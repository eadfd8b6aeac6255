import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** The content of a folder as a ZIP. */
export async function zipOf(folder: string): Promise<Blob> {
  const zip = new ZipFile();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile()) zip.addFile(file, path.relative(folder, file));
  }
  zip.end();
  return new Blob([await buffer(zip.outputStream)], { type: 'application/zip' });
}
