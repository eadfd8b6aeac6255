import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { readInput, type InputOptions } from './input.ts';
import { shellOfProcess, type Shell } from './shell.ts';
import { folderWith } from './testing/folder.ts';

const files = {
  'input/data.json': '\uFEFF[1.0, 2]\n',
  'input/params.json': '{"111": 1, "000": 2}',
  'input/notes.txt': 'no input',
  'other.json': '{"b": 1e3}',
  'all.json': '{"data": null, "$secrets": {"a": "1", "b": "2"}}',
  'tagged.json': '{"data": 1, "$tags": ["nightly", "large"]}',
  'secret.txt': 'from a file\n',
  'broken.json': '{',
};

async function read(options: InputOptions, environment: Shell['environment'] = {}): Promise<string> {
  const folder = await folderWith(files);
  return (await readInput({ ...shellOfProcess(), folder, environment }, options, folder)).text;
}

test('the folder input/ is the input, as it stands there', async () => {
  expect(await read({})).toBe('{"data":[1.0, 2],"params":{"111": 1, "000": 2}}');
});

test('--data and --params replace what is in the folder', async () => {
  expect(await read({ data: 'other.json' })).toBe('{"data":{"b": 1e3},"params":{"111": 1, "000": 2}}');
  expect(await read({ data: 'other.json', params: 'other.json' })).toBe('{"data":{"b": 1e3},"params":{"b": 1e3}}');
});

test('--input replaces all of it', async () => {
  expect(await read({ input: 'other.json' })).toBe('{"b":1e3}');
});

test('- is standard input', async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: false }) as unknown as NodeJS.ReadStream;
  stdin.push('{"data": 1}');
  stdin.push(null);
  expect((await readInput({ ...shellOfProcess(), stdin }, { input: '-' }, null)).text).toBe('{"data":1}');
});

test('secrets come from files and the environment, beside those of the input', async () => {
  const options = { input: 'all.json', secret: ['b=@secret.txt', 'c=TOKEN'] };
  expect(JSON.parse(await read(options, { TOKEN: 'from the environment' }))).toEqual({
    data: null,
    $secrets: { a: '1', b: 'from a file', c: 'from the environment' },
  });
});

test('tags come beside those of the input, each once', async () => {
  expect(await read({ tag: ['one', 'two'] })).toContain('"$tags":["one","two"]');
  const options = { input: 'tagged.json', tag: ['large', 'weekly'] };
  expect(await read(options)).toBe('{"data":1,"$tags":["nightly","large","weekly"]}');
});

test('a secret that is typed on the command line is refused and not repeated', async () => {
  const refusal = await read({ secret: ['token=hunter2'] }).catch(String);
  expect(refusal).toContain('the environment has no variable of that name');
  expect(refusal).not.toContain('hunter2');
  await expect(read({ secret: ['token'] })).rejects.toThrow('--secret takes name=@file or name=VARIABLE');
});

test('no input, a missing file and broken JSON say what is wrong', async () => {
  const shell = { ...shellOfProcess(), folder: await folderWith() };
  await expect(readInput(shell, {}, null)).rejects.toThrow('No input was given.');
  await expect(readInput(shell, {}, shell.folder)).rejects.toThrow('input holds no JSON file.');
  await expect(read({ data: 'missing.json' })).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(read({ params: 'broken.json' })).rejects.toThrow('broken.json is not valid JSON');
});
