import { expect, test } from 'vitest';
import { step } from '../engine/step.ts';
import { accepted, Instance } from '../testing/instance.ts';
import { boundary, chain, end, file, service, start, subProcess, timer } from '../testing/xml.ts';
import type { StateHead } from '../types.ts';
import { changedParts, PartsReader } from './parts.ts';
import type { State } from './state.ts';
import { headOf, toStored } from './stored.ts';

const graph = (into = 'all') =>
  accepted(
    file([
      start('s'),
      subProcess('sub', [start('is'), service('t', { in: { data: '=item' } }), end('ie'), chain('is', 't', 'ie')], {
        loop: { over: '=items', as: 'item', into, collect: '=n' },
      }),
      boundary('late', 'sub', timer('duration', 'PT1H'), { interrupting: false }),
      end('e'),
      end('then'),
      chain('s', 'sub', 'e'),
      chain('late', 'then'),
    ]),
  );

/** A database of one instance. */
class Stored {
  readonly parts = new Map<string, string>();
  #before: State | null = null;
  #head = '';

  /** Characters that were written. */
  write(state: State): number {
    let written = 0;
    for (const [part, text] of changedParts(this.#before, state)) {
      written += text?.length ?? 0;
      if (text === null) this.parts.delete(part);
      else this.parts.set(part, text);
    }
    this.#before = state;
    this.#head = JSON.stringify(headOf(state));
    return written + this.#head.length;
  }

  read(): State {
    const reader = new PartsReader();
    for (const [part, text] of [...this.parts].toReversed()) reader.add(part, text);
    return reader.state(JSON.parse(this.#head) as StateHead);
  }
}

test('a state is read as it was written in parts, at every step, and paused in the midst of one', async () => {
  const long = 'x'.repeat(2_000);
  const items = ['a', long, 3, { long }, null, ...Array.from({ length: 40 }, (_, index) => index)];
  const loop = await graph();
  const instance = new Instance(loop, { items, other: long });
  const stored = new Stored();
  let state = instance.live;
  stored.write(state);
  const jobs = [...state.index.jobs.keys()];
  for (const [index, job] of jobs.entries()) {
    // Large results come and go, in the process and in what is collected.
    const result = { n: index % 3 === 0 ? [long] : index, v: index % 2 === 0 ? long : 1 };
    let done = 0;
    state = step(loop, state, { type: 'jobSucceeded', job, result }, { now: 0, pauses: () => ++done > 2 }).state;
    for (;;) {
      stored.write(state);
      expect(toStored(stored.read())).toEqual(toStored(state));
      expect(stored.read()).toEqual(state);
      if (state.work === null) break;
      state = instance.resume(state);
    }
  }
  expect([state.phase, stored.parts.size]).toEqual(['COMPLETED', 0]);
});

test('what an event writes does not depend on how much is open, or on how long the variables beside it are', async () => {
  const loop = await graph();
  const written = (count: number) => {
    const items = Array.from({ length: count }, (_, index) => 10_000 + index);
    const { live } = new Instance(loop, { items });
    const stored = new Stored();
    stored.write(live);
    const [, , job = 0] = live.index.jobs.keys();
    return stored.write(step(loop, live, { type: 'jobSucceeded', job, result: { n: 1, sum: 2 } }, { now: 0 }).state);
  };
  // Numbers have more digits.
  expect(written(10_000) / written(250)).toBeLessThan(1.2);
});
