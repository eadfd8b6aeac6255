import { expect, it } from 'vitest';
import { accepted, Instance } from '../testing/instance.ts';
import { boundary, chain, end, file, flow, gateway, service, start, subProcess, timer } from '../testing/xml.ts';
import { collections, toStored } from '../state/stored.ts';
import type { State } from '../state/state.ts';
import { rebuild } from './journal.ts';
import { resume, start as begin, step } from './step.ts';
import { statusOf } from './status.ts';

/** Rounds of a sub-process that waits for a service, and for a timer at its boundary. */
const loop = async () => {
  const inner = [
    start('is'),
    service('t', { in: { data: '=item' }, out: { out: '=n' } }),
    boundary('late', 't', timer('duration', 'PT1H')),
    gateway('exclusive', 'merge'),
    end('ie'),
    chain('is', 't', 'merge', 'ie'),
    flow('late', 'merge'),
  ];
  const each = { over: '=items', as: 'item', into: 'all', collect: '=out' };
  const sub = subProcess('sub', inner, { loop: each });
  return accepted(
    file([
      start('s'),
      sub,
      boundary('stop', 'sub', timer('duration', 'P1D')),
      end('e'),
      end('stopped'),
      chain('s', 'sub', 'e'),
      chain('stop', 'stopped'),
    ]),
  );
};

const items = (count: number) => Array.from({ length: count }, (_, index) => index);

/** Number of entries of the state that are not the very same after it, and of its commands that were done. */
function differences(before: State, after: State): number {
  return collections.reduce((sum, name) => sum + [...after[name].changed(before[name] as never)].length, 0);
}

it('an event changes, and does, as much with 100 open elements as with 10,000', async () => {
  const graph = await loop();
  const cost = (count: number) => {
    const { live, effects } = new Instance(graph, { items: items(count) });
    const job = effects.find(({ type }) => type === 'startJob') as { job: number };
    const timers = [...live.timers.keys()];
    let done = 0;
    const env = { now: 0, pauses: (commands: number) => ((done = commands), false) };
    const ended = step(graph, live, { type: 'jobSucceeded', job: job.job, result: { n: 1 } }, env);
    const first = { differences: differences(live, ended.state), done };
    const due = step(graph, live, { type: 'timerDue', timer: timers[7] ?? 0 }, env);
    return [first, { differences: differences(live, due.state), done }];
  };
  expect(cost(10_000)).toEqual(cost(100));
});

it('a step that fans out can be paused after each few commands, and comes to the same', async () => {
  const graph = await loop();
  const request = { seed: '', variables: { items: items(1_000) } };
  const whole = begin(graph, request, { now: 5 });
  let most = 0;
  let part = begin(graph, request, { now: 5, pauses: (done) => done >= 10 });
  const effects = [...part.effects];
  const journal = [...part.journal];
  for (let parts = 1; part.state.work !== null; parts += 1) {
    part = resume(graph, part.state, { now: 1_000 + parts, pauses: (done) => done >= 10 * (parts + 1) });
    most = Math.max(most, part.effects.length);
    effects.push(...part.effects);
    journal.push(...part.journal);
  }
  expect(toStored(part.state)).toEqual(toStored(whole.state));
  expect(effects).toEqual(whole.effects);
  expect(journal).toEqual(whole.journal);
  expect(most).toBeLessThan(100);
});

it('a step that is paused can be cancelled, a little at a time; its journal rebuilds the state', async () => {
  const graph = await loop();
  const few = { now: 0, pauses: (done: number) => done % 2 === 0 };
  let part = begin(graph, { seed: '', variables: { items: items(1_000) } }, few);
  const journal = [...part.journal];
  const take = (next: typeof part) => {
    part = next;
    journal.push(...part.journal);
  };
  for (let parts = 0; parts < 200; parts += 1) take(resume(graph, part.state, few));
  expect(() => step(graph, part.state, { type: 'timerDue', timer: 1 }, few)).toThrow(/paused/);
  take(step(graph, part.state, { type: 'cancel' }, { ...few, now: 7 }));
  expect(step(graph, part.state, { type: 'cancel' }, few).changed).toBe(false);
  let rounds = 0;
  for (; part.state.work !== null; rounds += 1) take(resume(graph, part.state, few));
  expect(rounds).toBeGreaterThan(1);
  expect([statusOf(part.state), part.state.elements.size, part.state.index.waits.size]).toEqual(['CANCELLED', 0, 0]);
  const rebuilt = rebuild(graph, journal);
  expect(rebuilt && toStored(rebuilt)).toEqual(toStored(part.state));
});

it('a boundary event that interrupts 1,000 rounds ends them a little at a time', async () => {
  const graph = await loop();
  const instance = new Instance(graph, { items: items(1_000) });
  const timers = [...instance.live.timers.values()];
  const timer = timers.find(({ elementId }) => elementId === 'stop')?.timer ?? 0;
  const few = { now: 0, pauses: (done: number) => done % 5 === 0 };
  let part = step(graph, instance.live, { type: 'timerDue', timer }, few);
  let most = part.effects.length;
  while (part.state.work !== null) {
    part = resume(graph, part.state, few);
    most = Math.max(most, part.effects.length);
  }
  expect(most).toBeLessThan(1_000);
  expect(part.state).toMatchObject({ phase: 'COMPLETED' });
  expect(part.effects.at(-1)).toMatchObject({ type: 'finished', outcome: { type: 'completed' } });
});
