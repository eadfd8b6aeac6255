import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { shellOfProcess } from '../shell.ts';
import { folderWith } from '../testing/folder.ts';
import { selectTarget } from './select-target.ts';

const files = {
  'ghz/kethub.json': '{"name": "GHZ states"}',
  'ghz/src/program.py': '',
  'work/ghz/kethub.json': '{"name": "GHZ states"}',
  'bare/notes.txt': '',
};

/** The target that is run if these services exist, given by address and name. */
async function target(wanted: string | undefined, options: { at?: string; services?: Record<string, string> } = {}) {
  const root = await folderWith(files);
  await mkdir(path.join(root, 'empty'));
  const shell = { ...shellOfProcess(), folder: path.join(root, options.at ?? '.') };
  const named = wanted?.replace('ROOT', root);
  const { service, project } = await selectTarget(shell, named, async (word) => options.services?.[word] ?? null);
  return [service, project === null ? null : path.relative(root, project)];
}

test.each([
  ['ghz', 'ghz'],
  ['ghz/', 'ghz'],
  ['./ghz', 'ghz'],
  ['work/ghz', 'work/ghz'],
  ['ROOT/work/ghz', 'work/ghz'],
])('a folder that is a project: %s', async (wanted, project) => {
  expect(await target(wanted)).toEqual(['GHZ states', project]);
});

test('without a name, or with a dot, the folder that one is in', async () => {
  expect(await target(undefined, { at: 'ghz/src' })).toEqual(['GHZ states', 'ghz']);
  expect(await target('.', { at: 'ghz' })).toEqual(['GHZ states', 'ghz']);
  expect(await target('..', { at: 'ghz/src' })).toEqual(['GHZ states', 'ghz']);
  await expect(target(undefined)).rejects.toThrow('No service was named, and this folder is none.');
});

test.each([
  'max-cut',
  'bare',
  'ghz@1.0.0',
  'QAOA/maxcut',
  '01a202e6-fca9-7110-a2e6-de29f04c0960',
  'http://localhost:8081/a/ghz/1.0.0/',
  '',
])('a service: %j', async (wanted) => {
  expect(await target(wanted)).toEqual([wanted, null]);
  // The same where the current folder is a project.
  expect(await target(wanted, { at: 'ghz' })).toEqual([wanted, null]);
});

test('a word that another service has as well means the service, as long as it is no path', async () => {
  const services = { ghz: 'Greenberger' };
  expect(await target('ghz', { services })).toEqual(['ghz', null]);
  expect(await target('./ghz', { services })).toEqual(['GHZ states', 'ghz']);
  expect(await target('ghz', { services: { ghz: 'GHZ states' } })).toEqual(['GHZ states', 'ghz']);
});

test.each(['./ghz/src', './gone', '/', 'ghz/src'])('a path that leads to no project: %s', async (wanted) => {
  await expect(target(wanted)).rejects.toThrow('kethub.json does not exist: this folder is no service yet.');
});
