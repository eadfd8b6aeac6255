import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '@kethub/server/testing/databases';
import { callerOf, member, type Caller } from '@kethub/server/testing/gateway';
import { deploy, startTestKethub, type DeployedService, type TestKethub } from '@kethub/server/testing/kethub';
import { logOutput } from '@kethub/server/testing/log';
import { bpmn, calls, deployWorkflow } from '@kethub/server/testing/workflows';

const MAIN = path.resolve(import.meta.dirname, '../apps/server/src/main.ts');
/** Reports its identity once, lives as long as its input says, and returns the identity. */
const service = {
  'src/__init__.py': '',
  'src/program.py': `
import time
import uuid


def run(seconds=0, lines=0):
    who = str(uuid.uuid4())
    print("began", who, flush=True)
    for line in range(lines):
        time.sleep(seconds / lines)
        print("line", line, flush=True)
    if not lines:
        time.sleep(seconds)
    print("ended", who, flush=True)
    return {"who": who}
`,
};

/** Two calls in sequence, and three in parallel. */
function callsWitness(serviceId: string): string {
  const { chain, end, file, service: task, start } = bpmn;
  const witness = (id: string, more: object) =>
    task(id, { in: { seconds: '=0.2' }, extensions: calls(serviceId), ...more });
  return file([
    start('start'),
    witness('one', { out: { one: '=who' } }),
    witness('two', { out: { two: '=who' } }),
    witness('many', { loop: { over: '=[1, 2, 3]', as: 'each', into: 'others', collect: '=who' } }),
    end('end', { all: '=concatenate([one, two], others)' }),
    chain('start', 'one', 'two', 'many', 'end'),
  ]);
}

describe.each(databases())('kill -9 of the platform on $name', (kind) => {
  let kethub: TestKethub;
  let deployed: DeployedService;
  let app: Caller;
  let workflow: { readonly id: string; readonly loginSession: string };
  let platform: ChildProcess;
  let settings: Record<string, string>;

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    deployed = await deploy(kethub.client, 'Witness', service);
    app = await callerOf(deployed);
    const { addresses, configuration } = kethub.kethub.platform;
    settings = {
      KETHUB_DATA_DIR: kethub.dataDir,
      KETHUB_PORT: new URL(addresses.api).port,
      KETHUB_GATEWAY_PORT: new URL(addresses.gateway).port,
      KETHUB_DEMO: 'off',
      KETHUB_SANDBOX_ROOT: 'machine',
      KETHUB_LOG_LEVEL: 'warn',
      ...(configuration.databaseUrl !== null && { DATABASE_URL: configuration.databaseUrl }),
    };
    const deployedWorkflow = await deployWorkflow(kethub.client, 'Killed', callsWitness(deployed.service.id), [
      deployed.service,
    ]);
    workflow = { id: deployedWorkflow.service.id, loginSession: kethub.loginSession };
    await kethub.stop();
    platform = start();
    await reachable();
  });
  afterAll(async () => {
    platform.kill('SIGTERM');
    if (platform.exitCode === null && platform.signalCode === null) await once(platform, 'exit');
    await kethub.close();
  });

  const start = (): ChildProcess => {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('KETHUB_'));
    return spawn(process.execPath, [MAIN], {
      env: { ...Object.fromEntries(inherited), ...settings },
      stdio: ['ignore', logOutput(), 'inherit'],
    });
  };
  const restart = async (): Promise<void> => {
    const ended = once(platform, 'exit');
    platform.kill('SIGKILL');
    await ended;
    platform = start();
  };
  const reachable = async (): Promise<void> => {
    for (let attempt = 0; attempt < 1_500; attempt++) {
      const answer = await app.request('GET', '/?limit=1').catch(() => null);
      if (answer?.status === 200) return;
      await pause(20);
    }
    throw new Error('The platform did not come back within 30 s');
  };
  const ended = async (id: string): Promise<string> => {
    for (;;) {
      const status = member((await app.request('GET', `/${id}`, { headers: { prefer: 'wait=10' } })).body, 'status');
      if (status !== 'PENDING' && status !== 'RUNNING') return status;
    }
  };
  const api = async (address: string, init: RequestInit = {}): Promise<unknown> => {
    const { addresses } = kethub.kethub.platform;
    const headers = { authorization: `Bearer ${workflow.loginSession}`, 'content-type': 'application/json' };
    return (await fetch(addresses.api + address, { ...init, headers })).json();
  };
  const provided = () => api(`/services/${deployed.service.id}/executions`) as Promise<{ status: string }[]>;
  const startWorkflow = () =>
    api(`/services/${workflow.id}/executions`, { method: 'POST', body: '{}' }) as Promise<{ id: string }>;
  const workflowResult = (id: string) => api(`/workflow-service-executions/${id}/result`).catch(() => null);
  const logOf = async (id: string): Promise<string[]> => {
    const { text } = await app.request('GET', `/${id}/log`, { headers: { accept: 'text/plain' } });
    return text.trimEnd().split('\n');
  };

  test('a running execution goes on, its log is complete, its result is collected', async () => {
    await reachable();
    const { id } = await app.start({ seconds: 3, lines: 30 });
    await expect.poll(() => logOf(id), { timeout: 30_000 }).toContain('line 3');
    await restart();
    await reachable();
    expect(await ended(id)).toBe('SUCCEEDED');
    const { body } = await app.request('GET', `/${id}/result`);
    const who = member(body, 'who');
    const lines = Array.from({ length: 30 }, (_, line) => `line ${line}`);
    expect(await logOf(id)).toEqual([`began ${who}`, ...lines, `ended ${who}`]);
  });

  test(
    'workflows that are killed again and again reach their end, and call each service once',
    { timeout: 180_000 },
    async () => {
      await reachable();
      const before = (await provided()).length;
      const started = await Promise.all(Array.from({ length: 3 }, async () => (await startWorkflow()).id));
      // The moments differ from run to run.
      for (let kill = 0; kill < 4; kill++) {
        await pause(100 + Math.random() * 700);
        await restart();
        await reachable();
      }
      for (const id of started) {
        await expect
          .poll(() => workflowResult(id), { timeout: 60_000, interval: 200 })
          .toMatchObject({
            all: expect.arrayContaining([expect.any(String)]),
          });
        const { all } = (await workflowResult(id)) as { all: string[] };
        expect([all.length, new Set(all).size]).toEqual([5, 5]);
      }
      const calls = await provided();
      expect(calls.length - before).toBe(15);
      expect(calls.slice(0, 15).map(({ status }) => status)).toEqual(Array(15).fill('SUCCEEDED'));
    },
  );

  test('when the process that runs the code is lost as well, the execution is UNKNOWN, and the next one runs', async () => {
    const { id } = await app.start({ seconds: 60 });
    await expect.poll(async () => (await logOf(id))[0], { timeout: 30_000 }).toMatch(/^began/);
    process.kill(runnerPid(kethub.dataDir), 'SIGKILL');
    expect(await ended(id)).toBe('UNKNOWN');
    expect((await app.request('GET', `/${id}/result`)).body).toMatchObject({ detail: expect.stringContaining('lost') });
    expect((await app.finish({})).status).toBe('SUCCEEDED');
  });
});

function runnerPid(dataDir: string): number {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      if (command.includes('runner/main.ts') && command.includes(path.join(dataDir, 'runtime'))) return Number(name);
    } catch {
      // It ended meanwhile.
    }
  }
  throw new Error(`No runner works in ${dataDir}`);
}
