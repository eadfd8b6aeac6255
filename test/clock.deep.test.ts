import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createPlatformClient, signInWithPassword } from '@kethub/client';
import { isFinal, type ExecutionStatus } from '@kethub/contract';
import { KethubProcess } from '@kethub/server/testing/child-process';
import { sqlite } from '@kethub/server/testing/databases';
import { callerOf, member, type Caller } from '@kethub/server/testing/gateway';
import { deploy, roomy, startTestKethub, type DeployedService, type TestKethub } from '@kethub/server/testing/kethub';
import { bpmn, calls, deployWorkflow, type DeployedWorkflow } from '@kethub/server/testing/workflows';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ensureTools } from '../script/system-tools.ts';

// The clock of a real platform is set by hours in both directions while executions and workflows go on. Only its clock
// is: libfaketime moves it, and the monotonic clock stays that of the machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';
const HOURS = 6;
/** The log lines of all platforms of this test file. */
const LOG = process.env['LOG_CHECK_FILE'] ?? '';

const sleeper = {
  'src/__init__.py': '',
  'src/program.py': `
import time


def run(seconds=0):
    print("began", flush=True)
    time.sleep(seconds)
    return {"slept": seconds}
`,
};

let kethub: TestKethub;
let platform: KethubProcess;
let clock: string;
let service: DeployedService;
let workflow: DeployedWorkflow;
let timed: DeployedWorkflow;

beforeAll(async () => {
  ensureTools([{ what: 'libfaketime', package: 'libfaketime', isThere: () => existsSync(LIBRARY) }], () => undefined);
  kethub = await startTestKethub(sqlite);
  service = await deploy(kethub.client, 'Sleeper', sleeper);
  const input = { in: { seconds: '=seconds' }, extensions: calls(service.service.id) };
  const [start, end] = [bpmn.start('start'), bpmn.end('end')];
  workflow = await deployWorkflow(
    kethub.client,
    'Calling',
    bpmn.file([start, bpmn.service('task', input), end, bpmn.chain('start', 'task', 'end')]),
    [service.service],
  );
  timed = await deployWorkflow(
    kethub.client,
    'Timed',
    bpmn.file([
      start,
      bpmn.catchEvent('wait', bpmn.timer('duration', 'PT1H')),
      end,
      bpmn.chain('start', 'wait', 'end'),
    ]),
  );
  const { api, gateway } = kethub.platform.addresses;
  const port = new URL(api).port;
  await kethub.stop();
  clock = path.join(kethub.dataDir, 'clock');
  await set(0);
  const settings = {
    ...roomy,
    KETHUB_DATA_DIR: kethub.dataDir,
    KETHUB_PORT: port,
    KETHUB_GATEWAY_PORT: new URL(gateway).port,
    KETHUB_DASHBOARD: 'off',
    KETHUB_DEMO: 'off',
    LD_PRELOAD: LIBRARY,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  platform = new KethubProcess(settings, Number(port));
  await platform.ready();
});
afterAll(async () => {
  await platform.end();
  await kethub.close();
});

/** Sets the clock of the platform to that of the machine, and so many hours. */
async function set(hours: number): Promise<void> {
  await writeFile(clock, `${hours < 0 ? '' : '+'}${hours}h\n`);
}

async function end(app: Caller, id: string): Promise<string> {
  for (;;) {
    const { body } = await app.request('GET', `/${id}`, { headers: { prefer: 'wait=10' } });
    const status = member(body, 'status');
    if (status === 'FAILED') return `FAILED ${JSON.stringify(body)}`;
    if (isFinal(status as ExecutionStatus)) return status;
  }
}

/** Starts an execution or workflow that takes so many seconds. */
async function begin(of: DeployedService, seconds: number): Promise<{ of: DeployedService; id: string }> {
  const app = await callerOf(of);
  const { id } = await app.start({ seconds });
  return { of, id };
}

async function statusOf({ of, id }: { of: DeployedService; id: string }): Promise<string> {
  return end(await callerOf(of), id);
}

async function runs({ of, id }: { of: DeployedService; id: string }): Promise<number> {
  const log = await (await callerOf(of)).request('GET', `/${id}/log`);
  return log.text.split('began').length - 1;
}

/** Waits until the operator can read that the clock was set. `from` and the answer are lengths of the log. */
async function told(way: string, from: number): Promise<number> {
  for (;;) {
    const log = await readFile(LOG, 'utf8');
    if (log.slice(from).includes(`${way} by ${HOURS * 60} minutes`)) return log.length;
    await pause(500);
  }
}

test.each([
  ['forward, and back again', HOURS],
  ['back, and forward again', -HOURS],
])('a clock that is set %s loses nothing, runs nothing twice and stops nothing', async (_way, hours) => {
  const crossing = await begin(service, 15);
  const called = await begin(workflow, 15);
  const waiting = await begin(timed, 0);
  const before = await callerOf(service);
  while ((await before.request('GET', `/${crossing.id}`)).text.includes('PENDING')) await pause(50);

  const [way, wayBack] = hours > 0 ? (['gone forward', 'set back'] as const) : (['set back', 'gone forward'] as const);
  const from = (await readFile(LOG, 'utf8')).length;
  await set(hours);
  const noticed = await told(way, from);
  // Tokens end by the clock, and say so; a new one is had at once.
  const old = await before.request('GET', `/${crossing.id}`);
  expect(old.status).toBe(hours > 0 ? 401 : 200);
  if (hours > 0) expect(old.text).toContain('expired');
  if (hours > 0) expect(await statusOf(waiting)).toBe('SUCCEEDED');
  const app = await callerOf(service);
  expect((await app.finish({ seconds: 0 })).status).toBe('SUCCEEDED');
  const back = await begin(service, 15);
  const calledBack = await begin(workflow, 15);
  expect([await statusOf(crossing), await statusOf(called)]).toEqual(['SUCCEEDED', 'SUCCEEDED']);

  await set(0);
  const later = await callerOf(service);
  expect((await later.finish({ seconds: 0 })).status).toBe('SUCCEEDED');
  expect(await statusOf(await begin(workflow, 0))).toBe('SUCCEEDED');
  expect([await statusOf(back), await statusOf(calledBack)]).toEqual(['SUCCEEDED', 'SUCCEEDED']);
  expect([await runs(crossing), await runs(back)]).toEqual([1, 1]);
  if (hours < 0) {
    const client = await callerOf(timed);
    expect((await client.request('PUT', `/${waiting.id}/cancel`)).status).toBeLessThan(300);
    expect(await statusOf(waiting)).toBe('CANCELLED');
  }

  // A build, a sign-in and the state of the installation.
  const { auth, api } = kethub.platform.addresses;
  const session = await signInWithPassword({
    authUrl: auth,
    username: 'ada',
    password: 'correct horse battery staple',
  });
  const client = createPlatformClient({ baseUrl: api, credential: { loginSession: session } });
  const built = await deploy(client, hours > 0 ? 'Built after' : 'Built before', sleeper);
  expect((await (await callerOf(built)).finish({ seconds: 0 })).status).toBe('SUCCEEDED');
  expect((await fetch(`${platform.origin}/ready`)).status).toBe(200);
  await told(wayBack, noticed);
});
