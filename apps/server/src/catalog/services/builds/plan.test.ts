import { expect, test } from 'vitest';
import { Resources } from '../../../foundation/workers/index.ts';
import { planBuilds, type BuildSituation, type RunningBuild, type WaitingBuild } from './plan.ts';

const GB = 2 ** 30;
const freeCpus = (cpus: number): Resources => new Resources({ cpus, memoryBytes: cpus * GB, gpus: {} });
const waiting = (ownerId: string, number: number, changed: Partial<WaitingBuild> = {}): WaitingBuild => ({
  id: `${ownerId} ${number}`,
  ownerId,
  createdAt: number,
  turnAt: 0,
  digest: `${ownerId} ${number}`,
  ...changed,
});
const many = (ownerId: string, count: number): WaitingBuild[] =>
  Array.from({ length: count }, (_, number) => waiting(ownerId, number));
const running = (ownerId: string, cpus = 0, workerId = 'here'): RunningBuild => ({
  ownerId,
  workerId,
  cpus,
  digest: '',
});
const started = (situation: Partial<BuildSituation>): [string, number][] =>
  planBuilds({ workerId: 'here', waiting: [], running: [], free: freeCpus(0), ...situation }).map(
    ({ build, given }) => [build.id, given.cpus],
  );

test('one owner has one of the two reserved slots, however much waits and however full the machine is', () => {
  expect(started({ waiting: many('a', 60) })).toEqual([['a 0', 0]]);
  expect(started({ waiting: [...many('a', 60), waiting('b', 99)], running: [running('a')] })).toEqual([['b 99', 0]]);
  expect(started({ waiting: many('a', 60), running: [running('a')] })).toEqual([]);
});

test('what is left of the machine is taken beyond the reserved slots, by owners in turn', () => {
  const both = [...many('a', 60), waiting('b', 99)];
  expect(started({ waiting: both, free: freeCpus(2) })).toEqual([['a 0', 0], ['b 99', 0], ['a 1', 1], ['a 2', 1]]); // prettier-ignore
});

test('the owner with fewer running builds is next, wherever they run, then whose last turn is the longest ago', () => {
  const elsewhere = [running('a', 0, 'there'), running('a', 0, 'there')];
  expect(started({ waiting: [waiting('a', 1), waiting('b', 2)], running: elsewhere })[0]).toEqual(['b 2', 0]);
  const turns = [waiting('a', 1, { turnAt: 20 }), waiting('b', 2, { turnAt: 10 }), waiting('c', 3)];
  expect(started({ waiting: turns, free: freeCpus(4) }).map(([id]) => id)).toEqual(['c 3', 'b 2', 'a 1']);
});

test('one source is not built twice at the same time', () => {
  const same = [waiting('a', 1, { digest: 'x' }), waiting('b', 2, { digest: 'x' }), waiting('c', 3)];
  expect(started({ waiting: same, free: freeCpus(4) })).toEqual([['a 1', 0], ['c 3', 0]]); // prettier-ignore
  expect(started({ waiting: same, running: [{ ...running('d'), digest: 'x' }], free: freeCpus(4) })).toEqual([
    ['c 3', 0],
  ]);
});
