import { ZipFile } from 'yazl';
import { buffer } from 'node:stream/consumers';

/** Makes a reproducible ZIP of files by name. The programs among them are executable. */
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

/** Replaces a name in a ZIP by one of the same length: libraries refuse to write the names that an attacker uses. */
export async function renamed(archive: Blob, from: string, to: string): Promise<Blob> {
  if (from.length !== to.length) throw new Error('The names must have the same length');
  const bytes = Buffer.from(await archive.arrayBuffer()).toString('latin1');
  return new Blob([Buffer.from(bytes.replaceAll(from, to), 'latin1')], { type: 'application/zip' });
}
