import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { LIMITS, until } from '../testing/bench.ts';
import { descendantsOf } from '../sandbox/usage.ts';
import { hashOf, Transfers } from '../transfers/transfers.ts';
import { Handover } from './handover.ts';
import { KETHUB, pythonPod, type Order } from './objects.ts';

// The programs of both containers of a pod run here as processes, in a folder that stands in for their volumes.
const root = mkdtempSync(join(os.tmpdir(), 'kethub-warm-transfer-'));
const transfers = new Transfers();
const running: ChildProcess[] = [];
let port: number;

beforeAll(async () => {
  port = await transfers.listen(0, null);
});
afterEach(async () => {
  for (const child of running.splice(0))
    if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
});
afterAll(() => {
  transfers.close();
  rmSync(root, { recursive: true });
});

interface Container {
  readonly command: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}

/** Starts the sidecar in a pod that waits, and returns how to start that of the program. */
function podOf(id: string) {
  const home = join(root, id);
  for (const folder of ['exchange/result', 'handover', 'secret', 'output'])
    mkdirSync(join(home, folder), { recursive: true });
  symlinkSync('exchange/result', join(home, 'result'));
  const token = randomBytes(32).toString('hex');
  writeFileSync(join(home, 'secret/token'), token);
  writeFileSync(join(home, 'secret/job'), '');
  const app = join(home, 'served');
  mkdirSync(app);
  writeFileSync(join(app, 'program.py'), 'def run(): pass');
  writeFileSync(join(home, 'input'), '{"n": 1}');
  const handover = new Handover(50);
  const asked: string[] = [];
  let isGone = false;
  const close = transfers.open(id, {
    tokenHash: hashOf(token),
    parts: { app: { from: app, to: 'exchange/app' } },
    input: join(home, 'input'),
    claim: () => !isGone,
    async receive(what, _segments, _query, request) {
      asked.push(what);
      request.resume();
      return what === 'wait' ? handover.ask(request) : [200, {}];
    },
  });
  const url = `http://127.0.0.1:${port}`;
  const order = {
    settings: { image: 'i', url, resources: {}, nodeSelector: {}, gpuResource: 'g' },
    job: id,
    installation: 'i',
    attempt: 'a',
    executionId: id,
    environment: {},
    dataPools: [],
    limits: LIMITS,
    gpus: 0,
    certificates: null,
    ours: { host: '127.0.0.1', addresses: ['127.0.0.1'], port },
    hosts: [],
    warmFor: 'v',
  } as unknown as Order;
  const pod = pythonPod(order, { python: '3', hasLayer: false }) as Record<
    'initContainers' | 'containers',
    Container[]
  >;
  const start = ({ command, env }: Container): ChildProcess => {
    // The program of the service would need its folders: in its place stands one that keeps what it is handed.
    const [file = '', ...args] = command.map((one) =>
      one
        .replaceAll('$$', '$')
        .replaceAll(KETHUB, home)
        .replace(/^python3 .*execute\.py.*$/m, `cat <&4 >${home}/taken 4<&- &`),
    );
    const variables = Object.fromEntries(env.map(({ name, value = '1'.repeat(36) }) => [name, value]));
    const child = spawn(file, args, {
      env: { ...variables, PATH: process.env['PATH'] },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    running.push(child);
    return child;
  };
  const [ours, program] = [pod.initContainers[0] as Container, pod.containers[0] as Container];
  return {
    home,
    handover,
    asked,
    startOurs: () => start(ours),
    startProgram: () => start(program),
    leave: () => void (isGone = true),
    close,
  };
}

const exitOf = async (child: ChildProcess): Promise<unknown> => {
  if (child.exitCode === null) await once(child, 'exit');
  return child.exitCode;
};

test('a pod asks again and again, sleeps meanwhile, and begins with what it is handed', async () => {
  const pod = podOf('warm-1');
  pod.startOurs();
  const program = pod.startProgram();
  await until('it asks again', () => pod.asked.length > 3);
  expect(new Set(pod.asked)).toEqual(new Set(['wait']));
  expect(readFileSync(join(pod.home, 'exchange/app/program.py'), 'utf8')).toBe('def run(): pass');
  // The shell sleeps in the pipe: it starts no process, whereas a loop of pauses would start fifty a second.
  for (let look = 0; look < 20; look++) {
    expect(descendantsOf(program.pid ?? 0)).toEqual([]);
    await pause(10);
  }
  pod.handover.give('the header');
  expect(await exitOf(program)).toBe(0);
  expect(pod.asked.at(-1)).toBe('begin');
  expect(readFileSync(join(pod.home, 'taken'), 'utf8')).toBe('10\nthe header8\n{"n": 1}');
  expect(existsSync(join(pod.home, 'handover/job'))).toBe(false);
  pod.close();
});

test('a pod whose reservation is gone ends without having run', async () => {
  const pod = podOf('warm-2');
  const ours = pod.startOurs();
  const program = pod.startProgram();
  await until('it asks', () => pod.asked.length > 0);
  pod.leave();
  expect(await exitOf(program)).toBe(125);
  expect(await exitOf(ours)).toBe(0);
  expect(existsSync(join(pod.home, 'taken'))).toBe(false);
  pod.close();
});

test('a pod that waits ends at once when its node asks it to', async () => {
  const pod = podOf('warm-3');
  const ours = pod.startOurs();
  const program = pod.startProgram();
  await until('it asks', () => pod.asked.length > 0);
  program.kill('SIGTERM');
  expect(await exitOf(program)).toBe(125);
  ours.kill('SIGTERM');
  expect(await exitOf(ours)).toBe(0);
  pod.close();
});

test('the sidecar is started anew while the pod waits, and wakes the program all the same', async () => {
  const pod = podOf('warm-4');
  const ours = pod.startOurs();
  const program = pod.startProgram();
  await until('it asks', () => pod.asked.length > 0);
  ours.kill('SIGKILL');
  await exitOf(ours);
  pod.handover.give('the header');
  pod.startOurs();
  expect(await exitOf(program)).toBe(0);
  expect(readFileSync(join(pod.home, 'taken'), 'utf8')).toContain('the header');
  pod.close();
});
