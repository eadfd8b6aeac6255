import { createHash } from 'node:crypto';
import { access, readFile, rm, utimes } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createOutput } from '../terminal/output.ts';
import { folderWith } from '../testing/folder.ts';
import { listProject } from './files.ts';
import { pack } from './pack.ts';
import { prepareUpload, type UploadLimits } from './prepare.ts';

const quiet = createOutput({
  stdout: { write: () => true, isTTY: false },
  stderr: { write: () => true, isTTY: false, columns: 80 },
  environment: {},
  json: false,
});
const limits: UploadLimits = { sourceArchiveBytes: 1_000_000, sourceUnpackedBytes: 1_000_000, sourceFiles: 10 };
const service = { 'src/program.py': 'def run(data, params):\n    return {}\n', 'requirements.txt': '' };

test('the same files give the same bytes, whenever and wherever they were written', async () => {
  const first = await folderWith(service);
  const second = await folderWith(service);
  await utimes(path.join(second, 'src/program.py'), 1_000_000_000, 1_000_000_000);
  await using one = await pack((await listProject(first)).files);
  await using two = await pack((await listProject(second)).files);
  expect(two.digest).toBe(one.digest);
  const bytes = await readFile(one.path);
  expect(one).toMatchObject({ bytes: bytes.length, digest: createHash('sha256').update(bytes).digest('hex') });
});

test('the archive is removed when it is no longer needed', async () => {
  const archive = await pack((await listProject(await folderWith(service))).files);
  await archive[Symbol.asyncDispose]();
  await expect(access(path.dirname(archive.path))).rejects.toThrow('ENOENT');
});

test('a file that disappears while the folder is packed is an error that names it', async () => {
  const folder = await folderWith(service);
  const { files } = await listProject(folder);
  await rm(path.join(folder, 'requirements.txt'));
  await expect(pack(files)).rejects.toThrow('requirements.txt');
});

test('a file that grows while the folder is packed is an error, not a broken archive', async () => {
  const folder = await folderWith({ 'src/program.py': 'x' });
  const { files } = await listProject(folder);
  const packing = pack(files.map((file) => ({ ...file, path: '/proc/self/status' })));
  await expect(packing).rejects.toMatchObject({ outcome: 'usage', code: 'packing-failed' });
});

test('too many files, too many bytes and a missing program are refused before the upload', async () => {
  const refused = (files: Readonly<Record<string, string>>, tighter: Partial<UploadLimits>) =>
    folderWith(files).then((folder) =>
      prepareUpload(quiet, folder, 'PYTHON_TEMPLATE', { ...limits, ...tighter }).then(
        () => 'accepted',
        (error: unknown) => String(error),
      ),
    );
  expect(await refused(service, { sourceFiles: 1 })).toContain('has 2 files; at most 1 are accepted');
  expect(await refused({ ...service, 'big.bin': 'x'.repeat(2048) }, { sourceUnpackedBytes: 1024 })).toMatch(
    /at most 1 KiB are accepted.*The largest: big\.bin \(2 KiB\)/,
  );
  expect(await refused(service, { sourceArchiveBytes: 10 })).toContain('at most 10 bytes are accepted');
  expect(await refused({ 'program.py': '' }, {})).toContain('src/program.py is not there');
  expect(await refused({ ...service, '.gitignore': 'src/' }, {})).toContain('a rule in .gitignore or .ketignore');
});

test('a conda environment is translated, and each name that was kept or left out is said', async () => {
  const folder = await folderWith({
    'src/program.py': '',
    'environment.yml': 'dependencies: [six=1.16.0, pytorch=2.1, {pip: [loguru~=0.7]}]',
  });
  const said: string[] = [];
  const write = (text: string): boolean => said.push(text) > 0;
  const stderr = { write, isTTY: false, columns: 80 };
  const output = createOutput({ stdout: { write, isTTY: false }, stderr, environment: {}, json: false });
  await using archive = await prepareUpload(output, folder, 'PYTHON_TEMPLATE', limits);
  expect((await readFile(archive.path)).includes('requirements.txt')).toBe(true);
  expect(said.join('').replaceAll(/\s+/g, ' ')).toContain(
    'environment.yml becomes a requirements.txt: six==1.16.0.*, loguru~=0.7. ' +
      'Names of conda that PyPI is taken to share: six. Where PyPI has another name, write that below "pip:". ' +
      'left out: environment.yml: pytorch=2.1: PyPI has it as torch; write that below "pip:"',
  );
});

test('a service with a Dockerfile needs nothing but that', async () => {
  const folder = await folderWith({ Dockerfile: 'FROM scratch' });
  await using archive = await prepareUpload(quiet, folder, 'DOCKER', limits);
  expect(archive.bytes).toBeGreaterThan(0);
  const python = await folderWith({ 'src/program.py': '' });
  await expect(prepareUpload(quiet, python, 'DOCKER', limits)).rejects.toThrow(/Dockerfile is not there/);
});
