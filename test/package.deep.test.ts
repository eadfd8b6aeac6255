import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sqlite } from '@kethub/server/testing/databases';
import { startTestKethub, type TestKethub } from '@kethub/server/testing/kethub';
import { call, interrupted, localServers, resultOf } from './ket/served.ts';

// Packages are installed from their registries.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '..');
/** A number that no user of the machine has. */
const SOMEBODY = { uid: 54_321, gid: 54_321 };
const { serve } = localServers();
let folder: string;
let kethub: TestKethub;
let platform: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'ket-package-test-'));
  await chmod(folder, 0o755);
  await run(process.execPath, [path.join(root, 'script/package.ts'), path.join(folder, 'made')]);
  kethub = await startTestKethub(sqlite);
  const { value } = await kethub.client.createAccessToken({ json: { name: 'ket' } });
  platform = { KET_URL: new URL(kethub.platform.addresses.api).origin, KET_TOKEN: value ?? '' };
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

/** Develops a service with an installed ket: `ket init`, `ket test`, `ket serve`, then `ket up` to the platform. */
async function expectToDevelop(
  program: string,
  programs: string,
  { name, mode, as }: { name: string; mode: string; as?: typeof SOMEBODY },
): Promise<void> {
  const home = path.join(folder, `home-${name}`);
  await mkdir(home);
  if (as) await chown(home, as.uid, as.gid);
  const environment = { HOME: home, PATH: programs, KETHUB_CONFIG_DIR: path.join(home, '.ket') };
  const at = path.join(home, name);
  const inHome = (args: readonly string[], more: Record<string, string> = {}) =>
    run(program, [...args], { cwd: home, env: { ...pipSettings, ...environment, ...more }, ...as });
  await inHome(['init', name]);
  expect((await inHome(['test', name])).stderr).toContain('1 of 1 cases are as expected');
  const served = await serve(at, [], {
    ket: [program],
    environment: { ...pipSettings, ...environment },
    ...(as && { as }),
  });
  expect(served.mode).toBe(mode);
  const { id, status } = await call(served.url, { data: { qubits: 3 }, params: { shots: 100 } });
  expect([status, await resultOf(served.url, id)]).toEqual(['SUCCEEDED', expect.objectContaining({ fidelity: 1 })]);
  expect(await interrupted(served.child)).toBe(0);
  expect((await inHome(['up', name], platform)).stderr).toContain('published');
}

/** A service that takes a secret and a data pool. */
const TYPED = `from kethub.datapool import DataPool
from kethub.secret import SecretValue


def run(data, token: SecretValue, graphs: DataPool):
    return {"length": len(token.unwrap()), "files": list(graphs.list_files())}
`;

/** Runs a service with the types of the platform in the environment that the wheel is installed in, and that is active. */
async function expectTypesIn(environment: string): Promise<void> {
  const service = path.join(folder, 'typed');
  const files = {
    'src/program.py': TYPED,
    'datapool/graphs/one.txt': '1',
    'test/first/input.json': `{"data": {}, "graphs": {"id": "${randomUUID()}", "ref": "DATAPOOL"}}`,
    'test/first/expected.json': '{"length": 6, "files": ["one.txt"]}',
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(service, name)), { recursive: true });
    await writeFile(path.join(service, name), text);
  }
  const active = { HOME: folder, PATH: path.join(environment, 'bin'), VIRTUAL_ENV: environment, TOKEN: 'secret' };
  const tested = await run(path.join(environment, 'bin/ket'), ['test', service, '--secret', 'token=TOKEN'], {
    env: active,
  });
  expect(tested.stderr).toContain('1 of 1 cases are as expected');
  expect(tested.stderr).not.toContain('requirements.txt');
  // Node has an option of the same name.
  const refused = run(path.join(environment, 'bin/ket'), ['test', service, '--env-file', '/nope'], { env: active });
  await expect(refused).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('/nope does not exist') });
}

/** Settings by which pip finds the certificates of this machine. */
const pipSettings = Object.fromEntries(Object.entries(process.env).filter(([key]) => key.startsWith('PIP_')));

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
  const program = path.join(prefix, 'bin/ket');
  await expectToWork(program, path.dirname(process.execPath), 'from-npm');
  const programs = `${path.dirname(process.execPath)}:/usr/bin:/bin`;
  await expectToDevelop(program, programs, { name: 'npm-service', mode: 'namespace' });
  if (process.getuid?.() !== 0) return;
  await expectToDevelop(program, programs, { name: 'npm-somebody', mode: 'namespace', as: SOMEBODY });
});

test('the wheel works in an empty virtual environment, without a Node on the machine', async () => {
  const environment = path.join(folder, 'venv');
  await run('/usr/bin/python3', ['-m', 'venv', environment]);
  const [wheel = ''] = (await readdir(path.join(folder, 'made'))).filter((name) => name.endsWith('.whl'));
  // The platform offers the same file, under the same name, and a page that names it.
  const page = await (await fetch(`${kethub.platform.addresses.api}/downloads/ket`)).text();
  expect(page).toContain(`href="${wheel}"`);
  const offered = `${kethub.platform.addresses.api}/downloads/${wheel}`;
  await run(path.join(environment, 'bin/pip'), ['install', '--quiet', '--no-cache-dir', offered]);
  const program = path.join(environment, 'bin/ket');
  // Neither Node nor unshare is found here, so that paths are mapped.
  const programs = path.join(environment, 'bin');
  expect(existsSync(path.join(programs, 'unshare'))).toBe(false);
  await expectToWork(program, programs, 'from-pypi');
  await expectToDevelop(program, programs, { name: 'wheel-service', mode: 'paths' });
  await expectTypesIn(environment);
});
