import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sqlite } from '../apps/server/src/testing/databases.ts';
import { startTestKethub, type TestKethub } from '../apps/server/src/testing/kethub.ts';

// Packages are installed from their registries.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '..');
let folder: string;
let kethub: TestKethub;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'ket-package-test-'));
  await run(process.execPath, [path.join(root, 'script/package.ts'), path.join(folder, 'made')]);
  kethub = await startTestKethub(sqlite);
});
afterAll(async () => {
  await kethub.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs an installed ket with nothing in its environment but a home folder and the folders of programs given. */
async function ket(program: string, args: readonly string[], programs: string): Promise<string> {
  const environment = { HOME: folder, PATH: programs, KETHUB_CONFIG_DIR: path.join(folder, 'configuration') };
  return (await run(program, [...args], { cwd: folder, env: environment })).stdout;
}

/** Uses what works without a platform: it is the whole bundle with its data files. */
async function expectToWork(program: string, programs: string, name: string): Promise<void> {
  expect(await ket(program, ['--version'], programs)).toMatch(/^\d+\.\d+\.\d+\n$/);
  await ket(program, ['init', name], programs);
  expect(await readdir(path.join(folder, name, 'src'))).toContain('program.py');
  const imported = path.join(folder, `${name}-imported`);
  await cp(path.join(folder, name), imported, { recursive: true });
  await rm(path.join(imported, 'kethub.json'));
  await rm(path.join(imported, 'requirements.txt'));
  await writeFile(path.join(imported, 'planqk.json'), '{"name": "one"}');
  await writeFile(path.join(imported, 'environment.yml'), 'dependencies: [python=3.12, numpy]\n');
  await ket(program, ['import', imported], programs);
  expect(await readdir(imported)).toEqual(expect.arrayContaining(['kethub.json', 'requirements.txt']));
  const refused = ket(program, ['up', name, '--json'], programs);
  await expect(refused).rejects.toMatchObject({ code: 3, stdout: expect.stringContaining('not-signed-in') });
}

test('the npm package that the platform offers works in an empty folder, with Node alone', async () => {
  const address = `${kethub.platform.addresses.api}/downloads/ket.tgz`;
  const answer = await fetch(address);
  expect(answer.status).toBe(200);
  const etag = answer.headers.get('etag') ?? '';
  expect((await fetch(address, { headers: { 'if-none-match': etag } })).status).toBe(304);
  const file = path.join(folder, 'ket.tgz');
  await writeFile(file, Buffer.from(await answer.arrayBuffer()));
  const prefix = path.join(folder, 'npm');
  const npm = ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', '--ignore-scripts', file];
  await run('npm', npm, { cwd: folder, env: { ...process.env, HOME: folder } });
  await expectToWork(path.join(prefix, 'bin/ket'), path.dirname(process.execPath), 'from-npm');
});

test('the wheel works in an empty virtual environment, without a Node on the machine', async () => {
  const environment = path.join(folder, 'venv');
  await run('/usr/bin/python3', ['-m', 'venv', environment]);
  const made = path.join(folder, 'made');
  const [wheel = ''] = (await readdir(made)).filter((name) => name.endsWith('.whl'));
  await run(path.join(environment, 'bin/pip'), ['install', '--quiet', '--no-cache-dir', path.join(made, wheel)]);
  await expectToWork(path.join(environment, 'bin/ket'), path.join(environment, 'bin'), 'from-pypi');
});
