import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ket } from '@kethub/cli/testing/ket';
import { sqlite } from '@kethub/server/testing/databases';
import { startTestKethub, type TestKethub } from '@kethub/server/testing/kethub';

// Runs the commands of the pages for newcomers, letter for letter, in the folder of Kethub. Only the platform is
// another one, and signing in uses no terminal.
vi.setConfig({ testTimeout: 300_000 });

const root = path.resolve(import.meta.dirname, '..');
const password = 'correct horse battery staple';
let platform: TestKethub;
let url: string;
let home: string;
let environment: Record<string, string>;

beforeAll(async () => {
  platform = await startTestKethub(sqlite);
  url = new URL(platform.kethub.platform.addresses.api).origin;
  const person = { username: 'demo', email: 'demo@example.org', firstname: 'Demo', lastname: 'User' };
  await platform.kethub.identity.createUser({ ...person, password, status: 'APPROVED' });
  home = await mkdtemp(path.join(os.tmpdir(), 'ket-test-'));
  environment = {
    PATH: `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    HOME: home,
    TMPDIR: home,
    KETHUB_CONFIG_DIR: path.join(home, '.ket'),
    NO_UPDATE_NOTIFIER: '1',
  };
  const login = ['login', url, '--username', 'demo', '--password-stdin'];
  expect((await ket(login, { folder: home, environment, input: `${password}\n` })).code).toBe(0);
});
afterAll(async () => {
  await platform.close();
  await rm(home, { recursive: true });
});

/** The shell blocks of a page. */
async function blocks(page: string): Promise<string[]> {
  const text = await readFile(path.join(root, page), 'utf8');
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block ?? '');
}

/** Standard output. Rejects when it exits with another code than 0. */
async function type(command: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const args = ['-e', '-o', 'pipefail', '-c', command];
  const { stdout } = await promisify(execFile)('bash', args, { cwd: root, env: { ...environment, ...more } });
  return stdout;
}

test.each([
  ['README.md', ['init', 'up', 'run'], '"fidelity": 0.968'],
  ['docs/workflows.md', ['up', 'up', 'run', 'result'], '"total": 14'],
  ['examples/maxcut/README.md', ['up', 'run'], '"cutValue": 174'],
  ['examples/qaoa/README.md', ['up', 'run'], '"expectation"'],
  ['examples/workflow-parallel/README.md', ['up', 'up', 'run'], '"total": 14'],
  ['examples/workflow-sequential/README.md', ['up', 'up', 'run'], '"how": "thorough"'],
])('%s: its commands work as they stand there', async (page, expected, result) => {
  const lines = (await blocks(page)).join('').split('\n');
  const commands = lines.filter((line) => /^npm run ket -- (?!login )/.test(line));
  expect(commands.map((line) => line.split(' ')[4])).toEqual(expected);
  let last = '';
  for (const command of commands) last = await type(command);
  expect(last).toContain(result);
});

test('the same again changes nothing, and ket workflow shows what ran', async () => {
  const said = (command: string) => type(`npm run --silent ket -- ${command} --json`);
  expect(JSON.parse(await said('up examples/workflow-parallel'))).toMatchObject({
    version: '1.0.0',
    state: 'PUBLISHED',
  });
  const [latest] = JSON.parse(await said('workflow instances "Max-Cut of many graphs"')) as object[];
  expect(latest).toMatchObject({ phase: 'COMPLETED', incidents: 0 });
  expect(JSON.parse(await said('workflow incidents "Max-Cut of many graphs"'))).toEqual([]);
});

test('docs/cli.md: the first commands work from anywhere else, and in the folder of the service', async () => {
  const [first = ''] = await blocks('docs/cli.md');
  const commands = first.split('\n').filter((line) => /^npm run ket -- (?!login )/.test(line));
  expect(commands).toHaveLength(3);
  for (const command of commands) await type(command);
  // npm gets the folder of Kethub as an argument, and changes into it.
  const elsewhere = `cd ~ && npm --prefix ${root} run ket --`;
  expect(await type(`${elsewhere} run my-service --no-log`)).toContain('"fidelity": 0.968');
  expect(await type(`cd ~/my-service && npm --prefix ${root} run ket -- run --no-log`)).toContain('"fidelity": 0.968');
});

test('docs/first-call.md: from nothing to an access key, a token and a call with curl', async () => {
  const gateway = new URL(platform.platform.addresses.gateway).origin;
  const whole = (await blocks('docs/first-call.md')).join('');
  expect(whole).toContain('http://localhost:8081/token');
  const said = await type(whole.replaceAll('http://localhost:8080', url).replaceAll('http://localhost:8081', gateway), {
    PASSWORD: password,
  });
  expect(said).toContain('/my-first-service/1.0.0\n');
  expect(said).toContain('"status":"SUCCEEDED"');
  expect(said).toContain('"cutValue":3');
});

test('docs/workflows.md: from nothing to the result of a workflow with curl', async () => {
  const [block = '', ...others] = (await blocks('docs/workflows.md')).filter((one) => one.startsWith('API='));
  expect(others).toEqual([]);
  expect(block).toContain('http://localhost:8080/');
  const said = await type(block.replaceAll('http://localhost:8080', url), { PASSWORD: password });
  expect(said).toContain('"status":"SUCCEEDED"');
  expect(said).toMatch(/"solved":2,"failed":1,"total":14/);
});
