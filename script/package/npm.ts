import { gzipSync } from 'node:zlib';
import type { PackagedFile } from './files.ts';

/** Bytes of a block of a tar archive. */
const BLOCK = 512;
/** The folder in which npm expects the files. */
const FOLDER = 'package/';

/** The tarball that `npm install` takes. It has no times, so that the same files make the same bytes. */
export function npmTarball(files: readonly PackagedFile[]): Buffer {
  const parts = files.flatMap((file) => {
    const padding = Buffer.alloc((BLOCK - (file.content.length % BLOCK)) % BLOCK);
    return [header(file), file.content, padding];
  });
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 9 });
}

/** A header of the ustar format (POSIX.1-1988). */
function header({ name, content, executable }: PackagedFile): Buffer {
  const block = Buffer.alloc(BLOCK);
  const { prefix, base } = split(FOLDER + name);
  block.write(base, 0);
  block.write(octal(executable ? 0o755 : 0o644, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(content.length, 12), 124);
  block.write(octal(0, 12), 136);
  block.write(' '.repeat(8), 148);
  block.write('0', 156);
  block.write('ustar\0', 257);
  block.write('00', 263);
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** A path in the two fields of a header: at most 155 and 100 bytes, divided at a slash. */
function split(name: string): { prefix: string; base: string } {
  if (Buffer.byteLength(name) <= 100) return { prefix: '', base: name };
  const at = name.lastIndexOf('/', 155);
  const [prefix, base] = [name.slice(0, at), name.slice(at + 1)];
  if (Buffer.byteLength(base) > 100) throw new Error(`The path ${name} is too long for a tar archive.`);
  return { prefix, base };
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`;
}
