import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { freePort } from '../../../../script/free-port.ts';
import { LIMITS, until } from '../testing/bench.ts';
import { hashOf } from '../transfers/transfers.ts';
import type { ExecutionEnd, ExecutionJob, Runtime } from '../types.ts';
import { FollowedJobs } from './followed-jobs.ts';
import { Mailbox } from './mailbox.ts';
import type { SlurmOptions } from './options.ts';
import type { Slurm, SlurmState } from './slurm.ts';
import { SlurmRuntime } from './slurm-runtime.ts';
import { Staging } from './staging.ts';

// Leftovers of a process of the platform that was killed between two steps, or that met a full disk. Programs stand in for those of Slurm.
const root = mkdtempSync(join(os.tmpdir(), 'kethub-killed-'));
const [parent, programs] = [join(root, 'jobs'), join(root, 'bin')];
const before = process.env['PATH'];
const full = (): never => {
  throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
};

beforeAll(() => {
  for (const path of [parent, programs, join(root, 'app')]) mkdirSync(path);
  // The id of the job of "unkept" cannot be written: there is a folder in its place.
  const submits = `for one in "$@"; do case $one in --chdir=*unkept) mkdir "\${one#--chdir=}/slurm-job";; esac; done; echo 7`;
  for (const [name, script] of [['sbatch', submits], ['squeue', ''], ['scancel', ''], ['scontrol', ''], ['sacct', '']] as const)
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  process.env['PATH'] = `${programs}:${before}`;
}); // prettier-ignore
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
afterAll(() => {
  process.env['PATH'] = before;
  rmSync(root, { recursive: true });
});

const jobOf = (executionId: string): ExecutionJob => ({
  executionId,
  code: { sourceDir: join(root, 'app'), layerDir: null, imports: [] },
  input: '{}',
  secrets: {},
  environment: {},
  dataPools: [],
  limits: LIMITS,
});

function made(id: string): Mailbox {
  const mailbox = new Mailbox(parent, id);
  mailbox.make(jobOf(id), '#!/bin/sh\n', null);
  return mailbox;
}

/** The end that the next process reports of a job that is in no queue, and of which Slurm says `state`. */
async function endOf(id: string, state: SlurmState | null = null): Promise<ExecutionEnd> {
  vi.useFakeTimers({ toFake: ['performance'] });
  const mailbox = new Mailbox(parent, id);
  if (state !== null) mailbox.jobId = '7';
  const slurm = { queue: () => Promise.resolve(new Map()), state: () => Promise.resolve(state) };
  const jobs = new FollowedJobs(slurm as unknown as Slurm, { prefix: 'kethub-', warn: () => undefined });
  const ends: ExecutionEnd[] = [];
  jobs.onEnded((end) => ends.push(end));
  jobs.follow(id, mailbox, false);
  jobs.start();
  await until('it is missed', () => jobs.get(id)?.missingSince !== null);
  await until('it is judged', () => {
    vi.advanceTimersByTime(3_000);
    return ends.length > 0;
  });
  await jobs.stop();
  return ends[0] as ExecutionEnd;
}

function runtimeOf(more: Partial<SlurmOptions> = {}): { runtime: SlurmRuntime; warnings: string[] } {
  const nothing = (): (() => void) => () => undefined;
  const local = { onEnded: nothing, onLog: nothing, close: () => Promise.resolve() } as unknown as Runtime;
  const warnings: string[] = [];
  const options = { folder: parent, command: ['true'], uid: null, options: [], staging: null, rest: null, configuration: null, prefix: 'kethub-' }; // prettier-ignore
  return { runtime: new SlurmRuntime(local, { ...options, warn: (line) => warnings.push(line), ...more }), warnings };
}

test('a job that the platform has given up has not begun, also when its end could not be kept at first', async () => {
  made('full');
  vi.spyOn(Mailbox.prototype, 'keepEnd').mockImplementationOnce(full);
  expect(await endOf('full', { state: 'FAILED', reason: 'None' })).toMatchObject({ outcome: 'NOT_STARTED' });
});

test('a job that a node has claimed is never given up, and one that is given up is never claimed', () => {
  const claimed = made('claimed');
  expect([claimed.claim(), claimed.giveUp(), claimed.giveUp()]).toEqual([true, false, false]);
  expect(claimed.claimedAt).not.toBeNull();
  const given = made('given');
  expect([given.giveUp(), given.claim(), given.giveUp()]).toEqual([true, false, true]);
  expect(given.claimedAt).toBeNull();
});

test.each(['NODE_FAIL', 'PREEMPTED', null])(
  'a job whose node is lost (%s) before it took its input has not begun, and afterwards nobody knows',
  async (state) => {
    const said = state === null ? null : { state, reason: 'None' };
    const id = `lost-${state}`;
    const mailbox = made(id);
    mailbox.claim();
    expect(await endOf(id, said)).toMatchObject({ outcome: 'NOT_STARTED' });
    expect(() => mailbox.takeJob()).toThrow('ENOENT');
    const begun = made(`begun-${state}`);
    begun.claim();
    begun.takeJob();
    const outcome = state === 'PREEMPTED' ? 'FAILED' : 'LOST';
    expect(await endOf(`begun-${state}`, said)).toMatchObject({ outcome });
  },
);

test('an end, and the id of a job, that a full disk has left half written are none', () => {
  const mailbox = made('half');
  mkdirSync(join(mailbox.folder, 'ended.json.tmp'));
  writeFileSync(join(mailbox.folder, 'slurm-job'), '');
  expect(() => mailbox.keepEnd({} as ExecutionEnd)).toThrow('EISDIR');
  expect([mailbox.isDecided, mailbox.jobId]).toEqual([false, null]);
});

test('a mailbox that could not be made whole is not there', async () => {
  const { runtime } = runtimeOf();
  vi.spyOn(Mailbox.prototype, 'make').mockImplementationOnce(function (this: Mailbox) {
    mkdirSync(this.folder);
    full();
  });
  await expect(runtime.start(jobOf('unmade'))).rejects.toThrow('ENOSPC');
  expect(await runtime.start(jobOf('unmade'))).toBe('STARTED');
  await runtime.close();
});

test('a job whose id cannot be kept stays: it may run by now', async () => {
  const { runtime, warnings } = runtimeOf();
  expect(await runtime.start(jobOf('unkept'))).toBe('STARTED');
  expect(warnings).toEqual([expect.stringMatching(/^the id of job 7 could not be kept yet: EISDIR/)]);
  expect(existsSync(join(parent, 'unkept', 'job.json'))).toBe(true);
  await runtime.close();
});

test('what is left of a mailbox that was being removed is no execution, and goes', async () => {
  mkdirSync(join(parent, '.removed-half', 'run'), { recursive: true });
  await made('removed').remove();
  expect(readdirSync(parent)).not.toContain('removed');
  const { runtime } = runtimeOf();
  await until('it is gone', () => readdirSync(parent).every((name) => !name.startsWith('.removed')));
  await runtime.close();
});

test('a staged job begins once, and not at all when it was given up or taken back', async () => {
  const port = await freePort();
  const staging = new Staging({ url: `http://127.0.0.1:${port}`, port, tls: null });
  await staging.listen();
  const ask = async (id: string, what: string): Promise<number> => {
    const headers = { authorization: `Bearer ${'a'.repeat(64)}`, 'x-kethub-pod': '10000000-0000-4000-8000-000000000000' }; // prettier-ignore
    const answer = await fetch(`http://127.0.0.1:${port}/pods/${id}/${what}`, { method: 'POST', headers });
    await answer.text();
    return answer.status;
  };
  const staged = (id: string): Mailbox => {
    const mailbox = made(id);
    const kept = { tokenHash: hashOf('a'.repeat(64)), parts: {}, pools: {}, limits: LIMITS };
    writeFileSync(join(mailbox.folder, 'staging.json'), JSON.stringify(kept));
    staging.follow(id, mailbox);
    return mailbox;
  };
  staged('staged');
  expect(await ask('staged', 'claim')).toBe(200);
  // The answer was lost, so the job asks again.
  expect([await ask('staged', 'begun'), await ask('staged', 'begun')]).toEqual([200, 200]);
  expect(staged('staged-given').giveUp()).toBe(true);
  expect(await ask('staged-given', 'claim')).toBe(409);
  const taken = staged('staged-taken');
  expect(await ask('staged-taken', 'claim')).toBe(200);
  expect(taken.takeBack()).toBe(true);
  expect(await ask('staged-taken', 'begun')).toBe(409);
  staging.close();
});

test('a node that fetched the input of a job that was taken back runs nothing', async () => {
  const asked: string[] = [];
  const server = http.createServer((request, answer) => {
    const what = request.url?.split('/').at(-1) ?? '';
    asked.push(`${request.method} ${what}`);
    request.resume();
    if (what === 'begun') answer.writeHead(409);
    answer.end(what === 'input' ? JSON.stringify(jobOf('fetched')) : '{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const step = spawn(process.execPath, [join(import.meta.dirname, 'staged-step.ts')], { stdio: ['pipe', 'ignore', 'inherit'] }); // prettier-ignore
  step.stdin.end(JSON.stringify({ url, executionId: 'fetched', token: 'a'.repeat(64), ca: null }));
  expect(await once(step, 'exit')).toEqual([0, null]);
  expect(asked).toEqual(['POST claim', 'GET input', 'POST begun']);
  server.close();
});
