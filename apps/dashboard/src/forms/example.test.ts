import { strToU8, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { exampleIn } from './example.ts';

test('the folder input of a source is the example', () => {
  const zip = zipSync({
    'src/program.py': strToU8('def run(data): ...'),
    'input/data.json': strToU8('{"n": 1}'),
    'input/params.json': strToU8('[2]'),
    'input/broken.json': strToU8('{'),
    'input/deeper/data.json': strToU8('3'),
  });
  expect(exampleIn(zip)).toEqual({ data: { n: 1 }, params: [2] });
});

test('a source without that folder has none', () =>
  expect(exampleIn(zipSync({ 'src/program.py': strToU8('') }))).toBeNull());
