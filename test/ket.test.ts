import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { ServiceExecution, Share } from '@kethub/contract';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ket, ketProcess, type KetOptions, type KetProcessOptions } from '@kethub/cli/testing/ket';
import { sqlite } from '@kethub/server/testing/databases';
import { deploy, startTestKethub, type TestKethub } from '@kethub/server/testing/kethub';
import { commercialPlan } from '@kethub/server/testing/marketplace';

// The steps of a researcher from signing in to a result, against a whole platform. The tests build on each other, in
// this order. ket is a process of its own where it is interrupted, or its output comes before its end.

// Milliseconds for up to a dozen processes in one test, one after the other, on a machine that may be busy.
vi.setConfig({ testTimeout: 240_000 });

const username = 'grace';
const password = 'correct horse battery staple';
let platform: TestKethub;
let url: string;
let home: string;
let project: string;

beforeAll(async () => {
  platform = await startTestKethub(sqlite);
  url = new URL(platform.kethub.platform.addresses.api).origin;
  const person = { username, email: 'grace@example.org', firstname: 'Grace', lastname: 'Hopper' };
  await platform.kethub.identity.createUser({ ...person, password, status: 'APPROVED' });
  home = await mkdtemp(path.join(os.tmpdir(), 'ket-test-'));
  project = path.join(home, 'ghz');
});

afterAll(async () => {
  await platform.close();
  await rm(home, { recursive: true });
});

interface Shown {
  readonly execution: ServiceExecution;
  readonly result: Readonly<Record<string, unknown>>;
  readonly files: readonly { name: string; path?: string }[];
}

/** Runs ket in the folder of the project, as the signed-in user. */
function inProject(args: readonly string[], options: Partial<KetOptions> = {}) {
  return ket(args, { folder: project, ...options, environment: configuration(options.environment) });
}

/** The same in a process of its own. */
function processInProject(args: readonly string[], options: Partial<KetProcessOptions> = {}) {
  return ketProcess(args, { folder: project, ...options, environment: configuration(options.environment) });
}

function configuration(environment: Readonly<Record<string, string>> = {}) {
  return { KETHUB_CONFIG_DIR: path.join(home, '.ket'), ...environment };
}

function login(secret: string, ...args: string[]) {
  const folder = home;
  const options = { folder, environment: configuration(), input: `${secret}\n` };
  return ket(['login', url, '--username', username, '--password-stdin', ...args], options);
}

async function keptToken(): Promise<string> {
  const file = path.join(home, '.ket/credentials.json');
  return (JSON.parse(await readFile(file, 'utf8')) as { accessToken: string }).accessToken;
}

async function statusOfMe(accessToken: string): Promise<number> {
  return (await fetch(`${url}/api/me`, { headers: { 'x-auth-token': accessToken } })).status;
}

test('a wrong password is refused; the right one signs in, and is not kept', async () => {
  expect(await login('wrong')).toMatchObject({ code: 3, stdout: '' });
  const { code, json } = await login(password, '--json');
  expect([code, json()]).toEqual([0, { url, username }]);
  expect(await readFile(path.join(home, '.ket/credentials.json'), 'utf8')).not.toContain(password);
});

test('signing in again replaces the access token on the platform too', async () => {
  const before = await keptToken();
  expect((await login(password)).code).toBe(0);
  expect(await statusOfMe(before)).toBe(401);
  expect(await statusOfMe(await keptToken())).toBe(200);
});

test('init and up make a service that run can call with no further thought', async () => {
  expect((await ket(['init', 'ghz'], { folder: home, environment: configuration() })).code).toBe(0);
  const up = await processInProject(['up']);
  expect(up.stderr).toContain('Found run(data, params).');
  expect(up.code).toBe(0);
  expect(up.stdout).toMatch(/^http:\/\/.*\/ghz\/1\.0\.0\/\n$/);

  const run = await processInProject(['run']);
  expect(run.code).toBe(0);
  expect(JSON.parse(run.stdout)).toMatchObject({ fidelity: 0.968, counts: { '111': 493, '000': 475 } });
  expect(run.stderr).toContain('Measuring a GHZ state of 3 qubits');
  expect(run.stderr).toContain('Files: counts.csv');
});

test('up again without a change makes no new version', async () => {
  const { json } = await inProject(['up', '--json']);
  expect(json()).toMatchObject({ change: 'none', version: '1.0.0', state: 'PUBLISHED' });
});

test('status, result, logs and list are about the last execution', async () => {
  const [status, result, file, logs, list] = await Promise.all([
    inProject(['status', '--json']),
    inProject(['result', '--output-dir', 'results', '--json']),
    inProject(['result', '--file', 'counts.csv']),
    inProject(['logs', '--json']),
    inProject(['list', 'ghz', '--json']),
  ]);
  const execution = status.json<ServiceExecution>();
  expect(execution.status).toBe('SUCCEEDED');
  const { files } = result.json<Shown>();
  expect(files).toEqual([{ name: 'counts.csv', path: path.join(project, 'results/counts.csv') }]);
  expect(await readFile(path.join(project, 'results/counts.csv'), 'utf8')).toBe(file.stdout);
  expect(file.stdout).toMatch(/^state,count\r\n111,493\r\n/);
  expect(logs.json()).toMatchObject({ severity: 'INFO', message: expect.stringContaining('GHZ') as unknown });
  expect(list.json()).toMatchObject([{ id: execution.id, service: 'ghz', version: '1.0.0' }]);
});

test('numbers and the order of members reach the code and come back as they are', async () => {
  await writeFile(path.join(project, 'src/program.py'), 'def run(data, params):\n    return {"sent": data}\n');
  expect((await inProject(['up', '--json'])).json()).toMatchObject({ change: 'version', version: '1.1.0' });
  const sent = '{"111": 1.0, "000": 18446744073709551616, "text": "é\\n"}';
  const { stdout } = await inProject(['run', '--input', '-'], { input: `{"params": {}, "data": ${sent}}` });
  expect(stdout).toBe(
    '{\n  "sent": {\n    "111": 1.0,\n    "000": 18446744073709551616,\n    "text": "é\\n"\n  }\n}\n',
  );
});

test('a version that came before still answers', async () => {
  const { json, code } = await inProject([
    'run',
    'ghz@1.0.0',
    '--data',
    'input/data.json',
    '--params',
    'input/params.json',
    '--json',
  ]);
  expect(code).toBe(0);
  expect(json<Shown>().result).toMatchObject({ fidelity: 0.968 });
});

test('a build that fails says where, ends with 1, and the next up corrects the same draft', async () => {
  const program = path.join(project, 'src/program.py');
  await writeFile(program, 'def run(data, params)\n    return {}\n');
  const failed = await inProject(['up']);
  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(/src\/program\.py, line 1/);
  await writeFile(
    program,
    [
      'import time',
      'from kethub import SecretValue',
      'def run(data, params, token: SecretValue = None):',
      '    if token: return {"shown": str(token), "length": len(token.unwrap())}',
      '    if params.get("fail"): raise ValueError("no \\x1b[31mqubits")',
      '    for tick in range(params.get("ticks", 0)):',
      '        print("tick", tick, flush=True)',
      '        time.sleep(0.05)',
      '    return {}',
      '',
    ].join('\n'),
  );
  const corrected = await inProject(['up', '--json']);
  expect(corrected.json()).toMatchObject({ change: 'draft', version: '1.2.0', state: 'PUBLISHED' });
});

test('a secret from the environment reaches the code', async () => {
  const { json } = await inProject(['run', '--input', '-', '--secret', 'token=MY_TOKEN', '--json'], {
    input: '{"data": null, "params": {}}',
    environment: { MY_TOKEN: 'hunter2' },
  });
  expect(json<Shown>().result).toEqual({ shown: '[redacted]', length: 7 });
});

test('an execution that fails ends with 1, and its cause is no result', async () => {
  const { code, stdout, stderr } = await inProject(['run', '--input', '-'], {
    input: '{"data": null, "params": {"fail": true}}',
  });
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('ValueError');
  expect((await inProject(['result', '--json'])).json<Shown>().execution.status).toBe('FAILED');
});

test('Ctrl-C ends the waiting, not the execution; cancel ends that', async () => {
  let interrupted = false;
  const run = await processInProject(['run', '--input', '-'], {
    input: '{"data": null, "params": {"ticks": 100000}}',
    onOutput: (process, _stdout, stderr) => {
      if (!interrupted && stderr.includes('tick 3')) interrupted = process.kill('SIGINT');
    },
  });
  expect(run.code).toBe(130);
  const [, id = ''] = /The execution (\S+) goes on/.exec(run.stderr) ?? [];
  expect(run.stderr).toContain(`ket cancel ${id}`);
  expect((await inProject(['status', id, '--json'])).json()).toMatchObject({ id, status: 'RUNNING' });
  expect(await inProject(['result', id])).toMatchObject({ code: 4 });

  let cancelled: ReturnType<typeof inProject> | undefined;
  const logs = await processInProject(['logs', id, '--follow'], {
    onOutput: (_process, stdout) => {
      if (stdout.includes('tick 5')) cancelled ??= inProject(['cancel', id, '--json']);
    },
  });
  expect(logs.code).toBe(0);
  expect(logs.stdout).toMatch(/^tick 0\ntick 1\n/);
  expect((await cancelled)?.json()).toMatchObject({ id, status: 'CANCELLED' });
  expect(await inProject(['result', id, '--wait'])).toMatchObject({ code: 5, stdout: '' });
  expect(await inProject(['cancel', id])).toMatchObject({ code: 0 });
});

test('detached, run prints the id alone', async () => {
  const { stdout, code } = await inProject(['run', '--detach', '--input', '-'], { input: '{"data":0,"params":{}}' });
  expect(code).toBe(0);
  const result = await inProject(['result', stdout.trim(), '--wait', '--json']);
  expect(result.json<Shown>()).toMatchObject({ execution: { id: stdout.trim(), status: 'SUCCEEDED' }, result: {} });
});

test('a draft is run as a job, without a subscription; list shows how an execution was started', async () => {
  await writeFile(
    path.join(project, 'src/program.py'),
    'def run(data=None, params=None):\n    return {"by": "a job"}\n',
  );
  expect((await inProject(['up', '--no-publish', '--json'])).json()).toMatchObject({ state: 'DRAFT' });
  const run = await inProject(['run', '--job', '--json']);
  expect([run.code, run.json<Shown>().result]).toEqual([0, { by: 'a job' }]);
  const { execution } = run.json<Shown>();
  expect((await inProject(['status', '--json'])).json()).toEqual(execution);
  const record = (await inProject(['record', '--json'])).json<object>();
  expect(record).toMatchObject({ id: execution.id, exit: { reason: 'SUCCEEDED' } });
  const provided = await inProject(['record', execution.id, '--service', 'ghz', '--json']);
  expect(provided.json()).toMatchObject({ id: execution.id, result: Reflect.get(record, 'result') });
  const [job, through] = (await inProject(['list', '--limit', '2', '--json'])).json<
    { applicationId: string | null }[]
  >();
  expect(job).toMatchObject({ id: execution.id, service: 'ghz', applicationId: null });
  expect(through?.applicationId).not.toBeNull();
  expect((await inProject(['list', 'nothing'])).code).toBe(4);
});

test('a service is shared with a user by name, and run by them as a job', async () => {
  const { client } = platform;
  // A user who has signed in once can be found by name.
  const ada = await client.getMe();
  const { service } = await deploy(client, 'Of Ada', {
    'src/__init__.py': '',
    'src/program.py': 'def run(data=None):\n    return {"of": "ada"}\n',
  });
  const run = () => inProject(['run', 'of-ada', '--job', '--input', '-', '--json'], { input: '{}' });
  expect((await run()).code).toBe(4);
  const { id } = (await inProject(['whoami', '--json'])).json<{ id: string }>();
  await client.createShare({ serviceId: service.id, json: { recipient: { type: 'USER', id } } });
  expect((await inProject(['services'])).stdout).toMatch(/^of-ada +1\.0\.0 +SHARED/m);
  expect((await run()).json<Shown>().result).toEqual({ of: 'ada' });

  const shared = await inProject(['share', 'ghz', '--user', 'ada', '--until', '2999-01-01', '--json']);
  const share = shared.json<Share>();
  expect(share).toMatchObject({
    recipient: { type: 'USER', id: ada.id },
    endDate: '2999-01-01 00:00:00',
  });
  expect((await inProject(['shares', 'ghz', '--json'])).json()).toEqual([share]);
  expect((await client.listSharedServices()).map(({ name }) => name)).toEqual(['ghz']);
  expect((await inProject(['unshare', 'ghz', share.id])).code).toBe(0);
  expect(await client.listSharedServices()).toEqual([]);
  expect((await inProject(['share', 'ghz', '--user', 'nobody at all'])).code).toBe(4);
  expect((await inProject(['share', 'ghz'])).code).toBe(2);
});

test('a service is offered, found, subscribed to on a plan and run; the month shows what it cost', async () => {
  const { client } = platform;
  const { service } = await deploy(client, 'Paid Cut', {
    'src/__init__.py': '',
    'src/program.py': 'def run(data=None):\n    return {"paid": True}\n',
  });
  const pricingPlans = [commercialPlan('0.25')];
  await client.publishListing({ serviceId: service.id, json: { version: '1.0.0', categories: [], pricingPlans } });
  expect((await inProject(['marketplace', 'search', 'paid c'])).stdout).toContain(`${service.id}  Paid Cut  ada Test`);
  expect((await inProject(['marketplace', 'search', 'nothing'])).stdout).toBe('');
  expect((await inProject(['marketplace', 'show', service.id])).stdout).toContain('0.25 EUR per run');
  expect((await inProject(['marketplace', 'subscribe', service.id, '--plan', 'none'])).code).not.toBe(0);
  expect((await inProject(['marketplace', 'subscribe', service.id, '--plan', 'paid'])).code).toBe(0);
  expect((await inProject(['run', 'paid-cut', '--input', '-', '--json'], { input: '{}' })).code).toBe(0);
  expect((await inProject(['usage'])).stdout).toMatch(
    /Paid Cut@1\.0\.0 +Paid +Runs +1 run +0\.25 EUR +0\.25 EUR\n +total +0\.25 EUR/,
  );
  expect((await inProject(['usage', '--month', '2026-13'])).code).toBe(2);

  await writeFile(
    path.join(home, 'listing.json'),
    JSON.stringify({ pricingPlans: [{ id: 'x', name: 'X', type: 'FREE' }] }),
  );
  const offer = () => inProject(['marketplace', 'publish', 'ghz', '--file', '../listing.json']);
  expect((await offer()).stdout).toMatch(/^Offered: ghz \d/);
  expect((await client.browseMarketplace({ q: 'ghz' })).map(({ title }) => title)).toEqual(['ghz']);
  expect((await inProject(['marketplace', 'unpublish', 'ghz'])).code).toBe(0);
  expect(await client.browseMarketplace({ q: 'ghz' })).toEqual([]);
  const missing = await inProject(['marketplace', 'publish', 'ghz', '--file', 'none.json']);
  expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('none.json does not exist')]);
});

test('a configuration that the platform refuses names the member', async () => {
  const manifest = { name: 'refused', configuration: { cpus: -1 } };
  await writeFile(path.join(project, 'kethub.json'), JSON.stringify(manifest));
  const { code, stderr } = await inProject(['up']);
  expect(code).toBe(7);
  expect(stderr).toContain('/configuration/cpus');
});

test('a version is described and retired, and the retirement taken back', async () => {
  const shown = await inProject(['service', 'api-spec', 'ghz@1.0.0', '--json']);
  expect([shown.code, shown.json()]).toMatchObject([0, { openapi: '3.1.0', info: { version: '1.0.0' } }]);
  const retired = await inProject(['service', 'retire', 'ghz@1.0.0', '--sunset', '2999-01-01T00:00:00Z', '--json']);
  expect(retired.json()).toMatchObject({ retirement: { sunset: '2999-01-01 00:00:00' } });
  expect((await inProject(['service', 'retire', 'ghz@1.0.0', '--undo'])).stdout).toContain('stays');
  expect((await inProject(['service', 'retire', 'ghz'])).code).toBe(2);
});

test('a provider access token is set, listed without its key, and deleted', async () => {
  const set = await inProject(['provider-token', 'set', 'IONQ', '--token-stdin'], { input: 'ionq-key-0123456789\n' });
  expect([set.code, set.stdout]).toEqual([0, 'IonQ: IONQ_API_KEY\n']);
  const listed = await inProject(['provider-token', 'list']);
  expect(listed.stdout).toContain('IONQ');
  expect(listed.stdout).not.toContain('ionq-key');
  expect((await inProject(['provider-token', 'delete', 'IONQ'])).code).toBe(0);
  expect((await inProject(['provider-token', 'delete', 'IONQ'])).code).toBe(4);
});

test('signing in through the browser comes back to the terminal', async () => {
  const environment = configuration({
    BROWSER: path.join(import.meta.dirname, 'ket/browser.mjs'),
    KET_TEST_USERNAME: username,
    KET_TEST_PASSWORD: password,
  });
  const { code, json } = await ketProcess(['login', url, '--browser', '--json'], { folder: home, environment });
  expect([code, json()]).toEqual([0, { url, username }]);
  expect((await inProject(['whoami'])).stdout).toContain('grace (Grace Hopper)');
});

test('logout --revoke deletes the access token on the platform', async () => {
  const accessToken = await keptToken();
  const logout = await inProject(['logout', '--revoke', '--username', username, '--password-stdin', '--json'], {
    input: `${password}\n`,
  });
  expect([logout.code, logout.json()]).toEqual([0, { url, revoked: true }]);
  expect(await statusOfMe(accessToken)).toBe(401);
  expect((await inProject(['whoami'])).code).toBe(3);
});
