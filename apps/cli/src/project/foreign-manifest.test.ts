import { expect, test } from 'vitest';
import { folderWith } from '../testing/folder.ts';
import { findProject } from './find.ts';
import { requireManifest } from './manifest.ts';

const manifestOf = async (files: Readonly<Record<string, string>>) => requireManifest(await folderWith(files));

test.each(['qhub.json', 'planqk.json'])('%s makes a folder a service', async (file) => {
  const text = JSON.stringify({ name: 'one', description: 'about', resources: { cpu: 0.5, memory: 1 } });
  const folder = await folderWith({ [file]: text, 'src/program.py': '' });
  expect(await findProject(folder)).toBe(folder);
  expect(await requireManifest(folder)).toEqual({
    name: 'one',
    description: 'about',
    configuration: { runtime: 'PYTHON_TEMPLATE', cpus: 0.5, memoryGb: 1 },
    workflow: null,
    services: {},
    notes: [],
  });
});

test('kethub.json goes before qhub.json, and that before planqk.json', async () => {
  const [own, other, oldest] = ['own', 'other', 'oldest'].map((name) => JSON.stringify({ name }));
  const files = { 'qhub.json': other ?? '', 'planqk.json': oldest ?? '' };
  expect(await manifestOf({ ...files, 'kethub.json': own ?? '' })).toMatchObject({ name: 'own' });
  expect(await manifestOf(files)).toMatchObject({ name: 'other' });
});

test('what has no meaning here is named, not lost', async () => {
  const text = JSON.stringify({ name: 'one', resources: { cpu: 1, disk: 5 }, colour: 'red', serviceId: 'x' });
  expect((await manifestOf({ 'planqk.json': text })).notes).toEqual([
    'planqk.json: colour, resources.disk has no meaning here and is left out.',
  ]);
});

test.each([
  ['no name', {}, /"name" must be a text/],
  ['another runtime', { name: 'one', runtime: 'JAVA' }, /"runtime" must be PYTHON_TEMPLATE or DOCKER, not "JAVA"/],
  ['resources that are none', { name: 'one', resources: [] }, /"resources" must be an object/],
  ['a description above the folder', { name: 'one', descriptionFile: '../secret' }, /in the same folder/],
  ['a description that is not there', { name: 'one', descriptionFile: 'ABOUT.md' }, /ABOUT\.md is not there/],
])('%s is refused', async (_what, value, message) => {
  await expect(manifestOf({ 'planqk.json': JSON.stringify(value) })).rejects.toThrow(message);
});
