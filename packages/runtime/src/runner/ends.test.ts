import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { LIMITS } from '../testing/bench.ts';
import type { Exit } from '../sandbox/sandbox.ts';
import type { ExecutionEnd } from '../types.ts';
import { collect } from './collect.ts';
import type { Run } from './driver.ts';
import { Execution } from './execution.ts';
import { JsonFiles } from './json-files.ts';
import { OutputGuards } from './output-guard.ts';
import { recordEnd } from './record-end.ts';
import { Records } from './records.ts';

const dir = mkdtempSync(join(tmpdir(), 'kethub-ends-'));
afterAll(() => {
  rmSync(dir, { recursive: true });
});

/** A run whose processes never end, as a driver reports it. */
function immortal(read: Run['readResult'] = () => Promise.resolve({ kind: 'NOTHING' })): Run & { die(): void } {
  const { promise, resolve } = Promise.withResolvers<Exit>();
  return {
    pid: 0, processes: () => [], output: dir, uid: null, ended: promise, settled: Promise.resolve(), resultIsOptional: true, refusal: 'refused',
    follow: () => undefined, drop: () => undefined, start: () => undefined, terminate: () => undefined, kill: () => undefined,
    abandon: () => undefined, tookJob: () => true, readResult: read, release: () => Promise.resolve(),
    die: () => resolve({ code: 0, signal: null, commandRan: true, outOfMemory: false, peakMemoryBytes: null, cpuMs: null }),
  };
} // prettier-ignore

let made = 0;
function execution(run: Run, runTimeMs = 60_000, deadlines = { endMs: 50, freeMs: 50, readMs: 50 }): Execution {
  const records = new Records(join(dir, 'executions'));
  const executionId = `one-${++made}`;
  const folder = records.claim(executionId);
  const guards = new OutputGuards(dir);
  const limits = { ...LIMITS, runTimeMs };
  return new Execution({ executionId, folder, limits, guards, deadlines, claimed: Promise.resolve(), cancelGraceMs: () => 10, memoryIsRefused: false, onLog: () => undefined }, run);
} // prettier-ignore

describe('nothing that one execution does keeps its slot for ever', () => {
  test.each([
    ['cancelled', (one: Execution) => one.cancel()],
    ['freed by an operator', (one: Execution) => one.free()],
    ['at the end of its run time', () => undefined],
  ])('when its processes cannot be ended, %s', async (_when, end) => {
    const one = execution(immortal(), 100);
    end(one);
    expect(await one.ended).toMatchObject({ outcome: 'LOST', result: null, files: [] });
  });

  test('when what it left cannot be read to its end', async () => {
    const run = immortal(() => new Promise(() => undefined));
    const one = execution(run);
    run.die();
    expect(await one.ended).toMatchObject({ outcome: 'LOST', cause: { detail: expect.stringMatching(/in time/) } });
  });

  test('one that ends in time is reported as what it was', async () => {
    const run = immortal();
    const one = execution(run, 60_000, { endMs: 60_000, freeMs: 60_000, readMs: 60_000 });
    run.die();
    expect(await one.ended).toMatchObject({ outcome: 'SUCCEEDED', cause: null });
  });
});

describe('the record of an end', () => {
  const end: ExecutionEnd = { executionId: 'two', outcome: 'SUCCEEDED', cause: null, startedAt: 1, endedAt: 2, result: null, files: [], peakMemoryBytes: 3, cpuMs: 4, logBytes: 5 }; // prettier-ignore
  const never = new AbortController().signal;
  const records = new Records(join(dir, 'records'));
  records.claim('two');
  const recorded = (): unknown => JSON.parse(readFileSync(join(dir, 'records', 'two', 'end.json'), 'utf8'));
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level++) deep = [deep];

  test.each([
    ['has no text as JSON', () => ({ ...end, cause: { type: 'x', title: 't', detail: 'd', deep } })],
    ['holds what JSON has not', () => ({ ...end, note: 1n as unknown as string })],
    ['cannot be made at all', () => { throw new TypeError('no note'); }],
  ] as [string, () => ExecutionEnd][])('that %s is one without what it left, at once', async (_what, make) => {
    const reported = await recordEnd(records, make, end, never);
    expect(reported).toMatchObject({ outcome: 'FAILED', cause: { type: 'EndNotKept' }, cpuMs: 4 });
    expect(recorded()).toEqual(reported);
  }); // prettier-ignore

  const failing = (...codes: (string | null)[]) => {
    const tried: ExecutionEnd[] = [];
    const recordEnd = (one: ExecutionEnd): Promise<void> => {
      tried.push(one);
      const code = codes.shift() ?? null;
      return code === null ? Promise.resolve() : Promise.reject(Object.assign(new Error(code), { code }));
    };
    return { tried, recordEnd };
  };

  test('is tried again when the disk is full, and whole in the end', async () => {
    const disk = failing('ENOSPC', null);
    expect(await recordEnd(disk, () => end, end, never)).toEqual(end);
    expect(disk.tried).toEqual([end, end]);
  });

  test('is reported without being recorded when the disk stays away, or somebody needs the slot', async () => {
    const away = failing('EIO', 'EIO');
    expect(await recordEnd(away, () => end, end, never, 0)).toEqual(end);
    expect(away.tried).toHaveLength(1);
    const freed = new AbortController();
    const waiting = recordEnd(failing(...Array.from({ length: 100 }, () => 'ENOSPC')), () => end, end, freed.signal);
    freed.abort();
    expect(await waiting).toEqual(end);
  });
});

describe('files of JSON', () => {
  test('many are judged at once, each for itself', async () => {
    const files = new JsonFiles();
    const limits = { bytes: 2 ** 24, depth: 100 };
    const texts = ['{"a":1}', '[', '[1,2]', `[${'{},'.repeat(600_000)}1]`, '"x"'];
    const check = (text: string, number: number) => {
      const path = join(dir, `json-${number}`);
      writeFileSync(path, `R${text}`);
      return files.check({ path, skip: 1, target: `${path}.copy`, limits, watched: [] });
    };
    const found = await Promise.all(texts.map(check));
    expect(found.map((one) => ('problem' in one ? 'REFUSED' : one.kind))).toEqual(['OBJECT', 'REFUSED', 'ARRAY', 'ARRAY', 'STRING']); // prettier-ignore
    expect(readFileSync(join(dir, 'json-3.copy'), 'utf8')).toBe(texts[3]);
    await expect(files.check({ path: join(dir, 'none'), skip: 0, target: join(dir, 'x'), limits, watched: [] })).rejects.toMatchObject({ code: 'ENOENT' }); // prettier-ignore
    await expect(files.check({ path: join(dir, 'json-0'), skip: 0, target: '/proc/none', limits, watched: [] })).rejects.toThrow(); // prettier-ignore
  });

  test('a disk that hangs costs those who wait a while, and the next ones nothing', async () => {
    const files = new JsonFiles(3_000);
    const fifo = join(dir, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const order = { skip: 0, target: join(dir, 'copy'), limits: { bytes: 100, depth: 1 }, watched: [] };
    await expect(files.check({ ...order, path: fifo })).rejects.toThrow(/within 3 seconds/);
    writeFileSync(join(dir, 'good'), '{}');
    expect(await files.check({ ...order, path: join(dir, 'good') })).toMatchObject({ kind: 'OBJECT' });
    closeSync(openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK)); // ends the thread that was given up
  });
});

describe('the output folder', () => {
  test('with very many entries is read up to the limit of files', () => {
    const output = join(dir, 'many');
    execFileSync('sh', ['-c', 'mkdir "$1" && cd "$1" && seq 1 12000 | xargs touch', 'sh', output]);
    expect(existsSync(join(output, '12000'))).toBe(true);
    const { files, refused, exceeded } = collect(output, { outputFiles: 3, outputBytes: 1_000 }, null);
    expect(files).toHaveLength(3);
    expect(exceeded).toBe('FILES');
    expect(refused).toHaveLength(51);
    expect(refused.at(-1)).toMatch(/^9950 more/);
  });
});
