import { readdir, readFile } from 'node:fs/promises';
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

test('a folder with code gets a kethub.json only, and no file of another program', async () => {
  const own = { 'src/program.py': 'mine', 'README.md': 'mine too' };
  const folder = path.join(
    await folderWith(Object.fromEntries(Object.entries(own).map(([name, text]) => [`mine/${name}`, text]))),
    'mine',
  );
  expect(await writeStarter(folder)).toEqual({ name: 'mine', written: ['kethub.json'], kept: [] });
  for (const [name, content] of Object.entries(own))
    expect(await readFile(path.join(folder, name), 'utf8')).toBe(content);
  expect((await readdir(folder)).sort()).toEqual(['README.md', 'kethub.json', 'src']);
  expect(await writeStarter(folder)).toEqual({ name: 'mine', written: [], kept: ['kethub.json'] });
});

test('of a project of another platform kethub.json has the values', async () => {
  const folder = await folderWith({
    'planqk.json': JSON.stringify({
      name: 'Random numbers',
      descriptionFile: 'ABOUT.md',
      quantumBackend: 'IONQ',
      resources: { cpu: 2, memory: 4, gpu: { type: 'NVIDIA_TESLA_T4', count: 1 } },
      runtime: 'PYTHON_TEMPLATE',
      serviceId: '99487f0b-21f0-4256-8335-5179d416dbb4',
    }),
    'ABOUT.md': 'Random numbers from a circuit.',
    'src/program.py': '',
  });
  expect((await writeStarter(folder)).written).toEqual(['kethub.json']);
  expect(JSON.parse(await readFile(path.join(folder, 'kethub.json'), 'utf8'))).toEqual({
    name: 'Random numbers',
    description: 'Random numbers from a circuit.',
    configuration: {
      runtime: 'PYTHON_TEMPLATE',
      cpus: 2,
      memoryGb: 4,
      gpu: { type: 'NVIDIA_TESLA_T4', count: 1 },
    },
  });
});

test('a folder with only a Dockerfile is a Docker service', async () => {
  const folder = await folderWith({ Dockerfile: 'FROM scratch' });
  await writeStarter(folder);
  expect(await requireManifest(folder)).toMatchObject({ configuration: { runtime: 'DOCKER' } });
});
