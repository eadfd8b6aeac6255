import { strFromU8, unzipSync, zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { sourceOfInput } from './source-files.ts';

/** Files as a browser's dialog gives them. */
function chosen(files: Readonly<Record<string, string>>): FileList {
  const list = Object.entries(files).map(([path, content]) => {
    const file = new File([content], path.split('/').at(-1) ?? path);
    Object.defineProperty(file, 'webkitRelativePath', { value: path.includes('/') ? path : '' });
    return file;
  });
  return list as unknown as FileList;
}

test('a folder becomes a ZIP of its content, without what no source needs', async () => {
  const source = await sourceOfInput(
    chosen({
      'adder/src/program.py': 'def run(): ...',
      'adder/src/__init__.py': '',
      'adder/input/data.json': '{}',
      'adder/.git/config': 'x',
      'adder/.env': 'SECRET=1',
      'adder/src/__pycache__/program.pyc': 'x',
    }),
  );
  expect(source).toMatchObject({ name: 'adder', isWorkflow: false, summary: '3 files' });
  const content = unzipSync(new Uint8Array(await source.file.arrayBuffer()));
  expect(Object.keys(content).toSorted()).toEqual(['input/data.json', 'src/__init__.py', 'src/program.py']);
  expect(strFromU8(content['src/program.py'] ?? new Uint8Array())).toBe('def run(): ...');
});

test('a ZIP and a BPMN file are taken as they are', async () => {
  expect(await sourceOfInput(chosen({ 'adder.zip': 'x' }))).toMatchObject({ name: 'adder', isWorkflow: false });
  expect(await sourceOfInput(chosen({ 'two.bpmn': '<x/>' }))).toMatchObject({ name: 'two', isWorkflow: true });
});

test('a folder that is no service is refused with a sentence', async () =>
  expect(sourceOfInput(chosen({ 'pictures/one.png': 'x' }))).rejects.toThrow('src/program.py'));

test.each([
  [{ 'one/src/program.py': 'x', 'one/Dockerfile': 'x' }, 'PYTHON_TEMPLATE'],
  [{ 'one/Dockerfile': 'x', 'one/main.go': 'x' }, 'DOCKER'],
  [{ 'one/Containerfile': 'x' }, 'DOCKER'],
  [{ 'one.bpmn': '<x/>' }, null],
  [{ 'broken.zip': 'x' }, null],
])('the runtime of %j is %s', async (files, runtime) => {
  expect((await sourceOfInput(chosen(files))).runtime).toBe(runtime);
});

test('the runtime of a ZIP follows from its file names', async () => {
  const zip = new File([zipSync({ Dockerfile: new Uint8Array(9) }).slice()], 'one.zip');
  const files = [zip] as unknown as FileList;
  expect((await sourceOfInput(files)).runtime).toBe('DOCKER');
});
