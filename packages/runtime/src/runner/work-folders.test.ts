import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { makeRunnerPaths, type RunnerPaths } from '../paths.ts';
import { until } from '../testing/bench.ts';
import type { ExecutionEnd } from '../types.ts';
import { Records } from './records.ts';
import { WorkFolders } from './work-folders.ts';

const dir = mkdtempSync(path.join(os.tmpdir(), 'kethub-folders-'));
afterAll(() => {
  rmSync(dir, { recursive: true, force: true });
});
let number = 0;
let paths: RunnerPaths;
beforeEach(() => {
  paths = makeRunnerPaths(path.join(dir, String(++number)));
  for (const one of [paths.workFolders, paths.trash, paths.spare]) mkdirSync(one);
});
const endOf = (executionId: string): ExecutionEnd => ({ executionId, outcome: 'SUCCEEDED', cause: null, startedAt: 1, endedAt: 2, result: null, files: [], peakMemoryBytes: 3, cpuMs: 4, logBytes: 5 }); // prettier-ignore

/** Makes the folder of an execution as the runner does, with everything that a program can leave in it. */
async function ended(records: Records, id: string): Promise<string> {
  const folder = records.claim(id);
  records.keepNote(id, 'a note of its owner');
  mkdirSync(path.join(folder, 'output', 'deep'), { recursive: true });
  for (const name of ['written', 'log.ndjson', 'result.json', 'output/deep/file'])
    writeFileSync(path.join(folder, name), 'left by the first');
  await records.recordEnd(endOf(id));
  return folder;
}

describe('the folder of an ended execution', () => {
  test('is emptied before another one gets it', async () => {
    const records = new Records(paths.executions);
    const folders = new WorkFolders(paths, true);
    const { ino } = statSync(await ended(records, 'first'));
    folders.remove(records.folder('first'));
    await until('a spare folder', () => Promise.resolve(readdirSync(paths.spare).length === 1));
    const folder = folders.make();
    expect(statSync(folder).ino).toBe(ino);
    expect(readdirSync(folder).toSorted()).toEqual(['end.json.tmp', 'note']);
    for (const name of readdirSync(folder)) expect(statSync(path.join(folder, name)).size).toBe(0);
    expect(readdirSync(paths.trash)).toEqual([]);
  });

  test('is deleted where programs run as our own user', async () => {
    const records = new Records(paths.executions);
    await ended(records, 'first');
    new WorkFolders(paths, false).remove(records.folder('first'));
    await until('nothing in the trash', () => Promise.resolve(readdirSync(paths.trash).length === 0));
    expect(readdirSync(paths.spare)).toEqual([]);
  });

  test('is deleted when as many are spare as may be', async () => {
    const records = new Records(paths.executions);
    const folders = new WorkFolders(paths, true);
    for (let one = 0; one < 40; one++) {
      await ended(records, `one${one}`);
      folders.remove(records.folder(`one${one}`));
    }
    await until('nothing in the trash', () => Promise.resolve(readdirSync(paths.trash).length === 0));
    expect(readdirSync(paths.spare)).toHaveLength(16);
  });

  test('that outlived a crash of the machine is not the end of the next one, nor its note', async () => {
    const records = new Records(paths.executions);
    const first = await ended(records, 'first');
    execFileSync('mv', [first, records.folder('second')]);
    expect(records.end('second')).toBeNull();
    expect(records.note('second')).toEqual({});
    expect(records.withoutEnd().map(({ executionId }) => executionId)).toEqual(['second']);
  });
});
