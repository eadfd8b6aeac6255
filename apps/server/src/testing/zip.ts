import { ZipFile } from 'yazl';
import { buffer } from 'node:stream/consumers';

/** A ZIP of files by name, the programs among them executable: the same bytes whenever it is made. */
export async function zip(
  files: Readonly<Record<string, string | Buffer>>,
  programs: readonly string[] = [],
): Promise<Blob> {
  const archive = new ZipFile();
  const mtime = new Date(2026, 0, 1);
  for (const [name, content] of Object.entries(files)) {
    const mode = programs.includes(name) ? 0o100755 : 0o100644;
    archive.addBuffer(Buffer.from(content), name, { mtime, mode });
  }
  archive.end();
  return new Blob([await buffer(archive.outputStream)], { type: 'application/zip' });
}

/** The same ZIP with another name of the same length in it: libraries refuse to write the names that an attacker would. */
export async function renamed(archive: Blob, from: string, to: string): Promise<Blob> {
  if (from.length !== to.length) throw new Error('The names must have the same length');
  const bytes = Buffer.from(await archive.arrayBuffer()).toString('latin1');
  return new Blob([Buffer.from(bytes.replaceAll(from, to), 'latin1')], { type: 'application/zip' });
}
