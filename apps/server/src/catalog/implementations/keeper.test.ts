import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Keeper } from './keeper.ts';

const NO_WAIT = { serving: 0, clearing: 0 };

async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-keeper-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

async function open(folder: string, longest = NO_WAIT): Promise<Keeper> {
  const keeper = await Keeper.open(folder, longest);
  onTestFinished(() => keeper.close());
  return keeper;
}

test('a third process is told that two serve the repositories', async () => {
  const folder = await dataFolder();
  const [first, second] = [await open(folder), await open(folder)];
  expect([first.isKeeper, second.isKeeper]).toEqual([true, false]);
  expect(await first.alone(() => Promise.resolve())).toBe(false);
  await expect(open(folder)).rejects.toThrow('Two processes use the repositories');
});

test('a second process waits while the first one clears, and is told so when that takes long', async () => {
  const folder = await dataFolder();
  const first = await open(folder);
  const clearing = Promise.withResolvers<void>();
  const cleared = first.alone(() => clearing.promise);
  await expect(open(folder)).rejects.toThrow('removes what killed pushes have left');
  const second = open(folder, { serving: 0, clearing: Infinity });
  clearing.resolve();
  expect(await cleared).toBe(true);
  expect((await second).isKeeper).toBe(false);
});
