import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { download } from './download.ts';
import { folderWith } from './testing/folder.ts';

const answer = (text: string) => () => Promise.resolve(new Response(text));

test('a file is written into the folder, and replaces one of its name', async () => {
  const folder = path.join(await folderWith(), 'results');
  const file = await download(folder, 'a/b.txt', answer('first'));
  expect(file).toBe(path.join(folder, 'a/b.txt'));
  await download(folder, 'a/b.txt', answer('second'));
  expect(await readFile(file, 'utf8')).toBe('second');
  expect(await readdir(path.join(folder, 'a'))).toEqual(['b.txt']);
});

test.each(['../evil', '/evil', 'a/../../evil', '..', '.', '', 'a//b', 'a\\..\\evil', 'a\0b'])(
  'the name %j, which leads elsewhere, is refused before anything is asked for',
  async (name) => {
    const folder = await folderWith();
    const asked = download(folder, name, () => Promise.reject(new Error('asked')));
    await expect(asked).rejects.toMatchObject({ code: 'unsafe-file-name' });
  },
);

test('a link in the folder is not followed: one on the way is refused, one at the end is replaced', async () => {
  const outside = await folderWith({ 'file.txt': 'untouched' });
  const folder = await folderWith();
  await symlink(outside, path.join(folder, 'way'));
  await symlink(path.join(outside, 'file.txt'), path.join(folder, 'end'));
  await expect(download(folder, 'way/file.txt', answer('evil'))).rejects.toMatchObject({ code: 'unsafe-file-name' });
  await download(folder, 'end', answer('new'));
  expect(await readFile(path.join(outside, 'file.txt'), 'utf8')).toBe('untouched');
  expect(await readFile(path.join(folder, 'end'), 'utf8')).toBe('new');
});

test('a download that breaks off leaves the file of before, and nothing else', async () => {
  const folder = await folderWith();
  await writeFile(path.join(folder, 'a.txt'), 'before');
  const broken = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from('half'));
      controller.error(new Error('connection lost'));
    },
  });
  await expect(download(folder, 'a.txt', () => Promise.resolve(new Response(broken)))).rejects.toThrow(
    'connection lost',
  );
  expect(await readdir(folder)).toEqual(['a.txt']);
  expect(await readFile(path.join(folder, 'a.txt'), 'utf8')).toBe('before');
});
