import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { pythonOfArchive } from './archive-python.ts';
import type { StoredArchive } from './stored-archive.ts';

async function archiveOf(files: Record<string, string | Buffer>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(files)) zip.addBuffer(Buffer.from(content), name, { compress: false });
  zip.end();
  return buffer(zip.outputStream);
}

function stored(bytes: Buffer, reads: number[] = []): StoredArchive {
  return {
    bytes: bytes.length,
    read: async (from, to) => {
      reads.push(to + 1 - from);
      return Readable.from([bytes.subarray(from, to + 1)]);
    },
  };
}

const project = '[project]\nrequires-python = ">=3.12"\n';

test.each([
  [{ 'src/program.py': '' }, null],
  [{ 'src/.python-version': '3.9' }, null],
  [{ '.python-version': '3.9.1\n', 'pyproject.toml': project }, '3.9'],
  [{ '.python-version': 'pypy3.9\n', 'pyproject.toml': project }, 'pypy3.9'],
  [{ '.python-version': 'my-environment\n', 'pyproject.toml': project }, '>=3.12'],
  [{ 'pyproject.toml': project }, '>=3.12'],
])('the archive of %j asks for %s', async (files: Record<string, string>, text) => {
  expect((await pythonOfArchive(stored(await archiveOf(files))))?.text ?? null).toBe(text);
});

test('a file far before the directory is found, and the rest is not read', async () => {
  const large = randomBytes(3 * 2 ** 20);
  const reads: number[] = [];
  const bytes = await archiveOf({ '.python-version': '3.13\n', 'src/data.bin': large });
  expect(await pythonOfArchive(stored(bytes, reads))).toMatchObject({ file: '.python-version', text: '3.13' });
  expect(reads.reduce((sum, one) => sum + one, 0)).toBeLessThan(2 ** 20 + 100);
});

test('of a long file the beginning counts', async () => {
  const bytes = await archiveOf({ '.python-version': `3.13\n${' '.repeat(2 ** 21)}` });
  expect(await pythonOfArchive(stored(bytes))).toMatchObject({ text: '3.13' });
});

test('what the build refuses is left to the build', async () => {
  const bytes = await archiveOf({ '.python-version': '3.9\n', 'src/program.py': '' });
  const absolute = Buffer.from(bytes.toString('latin1').replaceAll('src/program.py', '/rc/program.py'), 'latin1');
  for (const damaged of [Buffer.alloc(0), Buffer.from('PK\u0003\u0004'), bytes.subarray(0, -30), absolute])
    expect(await pythonOfArchive(stored(damaged))).toBe(null);
});

test('a store that cannot be read is no answer', async () => {
  const bytes = await archiveOf({ '.python-version': '3.13\n', 'src/data.bin': randomBytes(2 ** 21) });
  let reads = 0;
  const failing: StoredArchive = {
    bytes: bytes.length,
    read: async (from, to) => {
      if (++reads > 1) throw new Error('The store is gone');
      return Readable.from([bytes.subarray(from, to + 1)]);
    },
  };
  await expect(pythonOfArchive(failing)).rejects.toThrow('The store is gone');
});
