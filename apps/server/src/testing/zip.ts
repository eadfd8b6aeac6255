import { ZipFile } from 'yazl';
import { buffer } from 'node:stream/consumers';

/** A ZIP of files by name. */
export async function zip(files: Readonly<Record<string, string | Buffer>>): Promise<Blob> {
  const archive = new ZipFile();
  for (const [name, content] of Object.entries(files)) archive.addBuffer(Buffer.from(content), name);
  archive.end();
  return new Blob([await buffer(archive.outputStream)], { type: 'application/zip' });
}
