import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readInput } from '../input.ts';
import { shellOfProcess } from '../shell.ts';
import { folderWith } from '../testing/folder.ts';
import { listProject } from './files.ts';
import { requireManifest } from './manifest.ts';
import { writeStarter } from './starter.ts';

const files = [
  '.gitignore',
  '.ketignore',
  'README.md',
  'input/data.json',
  'input/params.json',
  'kethub.json',
  'requirements.txt',
  'src/__init__.py',
  'src/program.py',
];

test('a new folder becomes a service of its name, and only what it needs is uploaded', async () => {
  const folder = path.join(await folderWith(), 'my-first');
  expect(await writeStarter(folder)).toEqual({ name: 'my-first', written: files, kept: [] });
  expect(await requireManifest(folder)).toMatchObject({ name: 'my-first' });
  expect(await readFile(path.join(folder, 'README.md'), 'utf8')).toMatch(/^# my-first\n/);
  expect((await listProject(folder)).files.map(({ name }) => name)).toEqual([
    'requirements.txt',
    'src/__init__.py',
    'src/program.py',
  ]);
});

test('its input is what ket run sends', async () => {
  const folder = path.join(await folderWith(), 'one');
  await writeStarter(folder);
  const { text } = await readInput(shellOfProcess(), {}, folder);
  expect(JSON.parse(text)).toMatchObject({
    data: { qubits: 3 },
    params: { shots: 1000, seed: 7 },
  });
});

test('files that are there stay as they are', async () => {
  const own = { 'src/program.py': 'mine', 'README.md': 'mine too' };
  const folder = await folderWith(own);
  const { written, kept } = await writeStarter(folder);
  expect(kept).toEqual(['README.md', 'src/program.py']);
  expect([...written, ...kept].sort()).toEqual(files);
  for (const [name, content] of Object.entries(own))
    expect(await readFile(path.join(folder, name), 'utf8')).toBe(content);
  expect((await writeStarter(folder)).written).toEqual([]);
});
