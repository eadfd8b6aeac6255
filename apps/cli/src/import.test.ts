import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { exitCodes } from './failures.ts';
import { folderWith } from './testing/folder.ts';
import { ket } from './testing/ket.ts';

const planqk = {
  name: 'max-cut',
  descriptionFile: 'about.md',
  resources: { cpu: 2, memory: 4 },
  runtime: 'PYTHON_TEMPLATE',
  serviceId: 'e3b0',
  colour: 'green',
};
const environment = `dependencies:
  - python=3.12
  - numpy=1.26
  - gcc
  - pip:
      - qiskit==2.0.0
`;
const files = {
  'planqk.json': JSON.stringify(planqk),
  'about.md': 'Cuts graphs.',
  'environment.yml': environment,
  '.planqkignore': 'data/\n',
  'src/program.py': 'def run(data, params):\n    return data\n',
};

test('a project of another platform becomes one of Kethub, and all that is left out is listed', async () => {
  const folder = await folderWith(files);
  const { code, json, stderr } = await ket(['import', '--json'], { folder });
  expect(code).toBe(0);
  expect(json()).toMatchObject({
    from: 'planqk.json',
    written: ['kethub.json', 'requirements.txt', '.python-version'],
    ignored: ['serviceId'],
  });
  expect(JSON.parse(await readFile(path.join(folder, 'kethub.json'), 'utf8'))).toEqual({
    name: 'max-cut',
    description: 'Cuts graphs.',
    configuration: { runtime: 'PYTHON_TEMPLATE', cpus: 2, memoryGb: 4 },
  });
  expect(await readFile(path.join(folder, 'requirements.txt'), 'utf8')).toBe('numpy==1.26.*\nqiskit==2.0.0\n');
  expect(await readFile(path.join(folder, '.python-version'), 'utf8')).toBe('3.12\n');
  for (const part of ['colour has no meaning', 'serviceId is left out', 'environment.yml: gcc'])
    expect(stderr).toContain(part);
  expect((await ket(['import'], { folder })).code).toBe(exitCodes.usage.code);
});

test('requirements that are there stay and what else the environment names is listed, a container keeps its Dockerfile', async () => {
  const includes = `${environment}      - -r requirements.txt\n      - SciPy>=1\n`;
  const kept = await folderWith({ ...files, 'environment.yml': includes, 'requirements.txt': 'scipy\nNumPy\n' });
  const { code, stderr } = await ket(['import'], { folder: kept });
  expect([code, stderr]).toEqual([0, expect.stringContaining('qiskit==2.0.0: requirements.txt counts')]);
  expect(stderr).not.toMatch(/scipy|numpy|refers to another file/i);
  expect(await readFile(path.join(kept, 'requirements.txt'), 'utf8')).toBe('scipy\nNumPy\n');
  expect(await readFile(path.join(kept, '.python-version'), 'utf8')).toBe('3.12\n');
  const docker = await folderWith({ 'qhub.json': '{"name":"a","runtime":"DOCKER"}', Dockerfile: 'FROM scratch\n' });
  expect((await ket(['import', '.'], { folder: docker })).code).toBe(0);
  expect((await readdir(docker)).toSorted()).toEqual(['Dockerfile', 'kethub.json', 'qhub.json']);
});

test.each([
  [{}, 'has no qhub.json and no planqk.json'],
  [{ 'planqk.json': '{"name": ' }, 'planqk.json'],
  [{ 'planqk.json': '[]' }, 'planqk.json'],
  [{ 'planqk.json': '{"name":"a"}', 'environment.yml': 'a: [' }, 'not valid YAML'],
  [{ 'planqk.json': '{"name":"a","descriptionFile":"../x"}' }, 'descriptionFile'],
])('%j is a mistake that is explained, and nothing is written', async (given, text) => {
  const folder = await folderWith(given);
  const { code, stderr } = await ket(['import'], { folder });
  expect([code, stderr]).toEqual([exitCodes.usage.code, expect.stringContaining(text)]);
  expect((await readdir(folder)).toSorted()).toEqual(Object.keys(given).toSorted());
});
