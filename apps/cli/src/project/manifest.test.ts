import { expect, test } from 'vitest';
import { folderWith } from '../testing/folder.ts';
import { parseManifest, readManifest, requireManifest } from './manifest.ts';

test('a name is enough', () => {
  expect(parseManifest('{"name": "one"}', 'kethub.json')).toEqual({
    name: 'one',
    description: '',
    configuration: {},
    workflow: null,
    services: {},
    notes: [],
  });
});

test.each([
  ['{"name": }', /^kethub\.json is not valid JSON: Unexpected token '}'/],
  ['[]', /^kethub\.json must hold one JSON object/],
  ['{}', /"name" must be a text that is not empty/],
  ['{"name": "  "}', /"name" must be a text/],
  ['{"name": 1.0}', /"name" must be a text/],
  ['{"name": "a", "description": 1}', /"description" must be a text/],
  ['{"name": "a", "configuration": []}', /"configuration" must be an object/],
  ['{"name": "a", "nmae": "b", "x": 1}', /nmae, x is unknown/],
])('%s is refused, and the message says why', (text, message) => {
  expect(() => parseManifest(text, 'kethub.json')).toThrow(message);
});

test('numbers of the configuration are plain numbers, so that 1.0 and 1 are the same configuration', () => {
  expect(parseManifest('{"name": "a", "configuration": {"cpus": 1.0}}', 'f').configuration).toEqual({ cpus: 1 });
});

test('a folder without one is no service yet', async () => {
  const folder = await folderWith();
  expect(await readManifest(folder)).toBeNull();
  await expect(requireManifest(folder)).rejects.toMatchObject({ outcome: 'usage', next: ['ket init <folder>'] });
});
