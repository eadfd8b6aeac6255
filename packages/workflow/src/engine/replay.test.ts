import { describe, expect, it } from 'vitest';
import { accepted, Instance } from '../testing/instance.ts';
import { chain, end, file, script, service, start, subProcess } from '../testing/xml.ts';
import { toStored } from '../state/stored.ts';
import type { State } from '../state/state.ts';
import { OtherJournal, Replay } from './replay.ts';

const graph = accepted(
  file([
    start('s'),
    script('x', 'id', '=uuid()'),
    service('t', { in: { data: '=n' }, out: { n: '=doubled' } }),
    service('u', { out: { last: '=n + 1' } }),
    end('e', { n: '=n' }),
    chain('s', 'x', 't', 'u', 'e'),
  ]),
);

/** An instance of two tasks that has failed once, was corrected and has ended. */
async function ended(): Promise<Instance> {
  const instance = new Instance(await graph, { n: 1 });
  instance.fail('t');
  const [incident] = instance.state.incidents;
  instance.apply({ type: 'setVariables', scope: incident?.element ?? 0, variables: { data: 2 } });
  instance.apply({ type: 'resolveIncident', incident: incident?.incident ?? 0 });
  instance.succeed('t', { doubled: 4 });
  instance.succeed('u', {});
  return instance;
}

async function stateAfter(instance: Instance, until: number, isOver = () => false): Promise<State | null> {
  const replay = new Replay(await graph, until, isOver);
  const events = instance.journal.filter((entry) => entry.type === 'event');
  for (const [at, event] of events.entries())
    for (let isLeft = replay.apply(event, events[at + 1]); isLeft;) isLeft = replay.resume();
  return replay.state;
}

/** Variables by element, of those that are open. */
const variables = (state: State | null) =>
  Object.fromEntries([...(state?.elements.values() ?? [])].map((one) => [one.elementId, one.variables]));

describe('the state after each entry of a journal', () => {
  it('has the variables of each scope as they were then', async () => {
    const instance = await ended();
    const seqOf = (type: string, elementId: string) =>
      instance.journal.find((entry) => entry.type === type && 'elementId' in entry && entry.elementId === elementId)
        ?.seq ?? 0;
    expect(variables(await stateAfter(instance, 1))).toMatchObject({ process: { n: 1 } });
    const begun = variables(await stateAfter(instance, seqOf('activated', 't') + 1));
    expect(begun).toMatchObject({ process: { n: 1 }, t: { data: 1 } });
    const corrected = variables(await stateAfter(instance, seqOf('resolved', 't')));
    expect(corrected).toMatchObject({ process: { n: 1 }, t: { data: 2 } });
    const after = variables(await stateAfter(instance, seqOf('completed', 't')));
    expect(after).toMatchObject({ process: { n: 4, id: expect.any(String) as string } });
    expect(after).not.toHaveProperty('t');
    const last = await stateAfter(instance, Infinity);
    expect(variables(last)).toEqual({});
    expect(last?.finalVariables).toMatchObject({ n: 4, last: 5 });
  });

  it('is the same when the thread is yielded after every command', async () => {
    const instance = await ended();
    for (const { seq } of instance.journal) {
      const [whole, inParts] = [await stateAfter(instance, seq), await stateAfter(instance, seq, () => true)];
      if (!whole || !inParts) throw new Error(`no state after ${seq}`);
      // The commands that are left have other numbers.
      const { work: _work, queue, ...same } = toStored(whole);
      const { work: _other, queue: left, ...parts } = toStored(inParts);
      expect(parts).toEqual(same);
      expect(Object.values(left)).toEqual(Object.values(queue));
      expect(whole.seq).toBeGreaterThanOrEqual(seq);
    }
  });

  it('is not made up from a journal that this engine has not written', async () => {
    const instance = await ended();
    const at = instance.journal.findLastIndex(({ type }) => type === 'event');
    const [last] = instance.journal.splice(at, 1);
    if (!last) throw new Error('no event');
    instance.journal.push({ ...last, seq: last.seq + 1 });
    await expect(stateAfter(instance, Infinity)).rejects.toThrow(OtherJournal);
  });
});

it('variables of a sub-process stand in its own scope', async () => {
  const nested = await accepted(
    file([
      start('s'),
      subProcess('sub', [start('ss'), service('t', { in: { a: '=n' } }), end('se'), chain('ss', 't', 'se')], {
        in: { n: '=n + 1' },
      }),
      end('e'),
      chain('s', 'sub', 'e'),
    ]),
  );
  const instance = new Instance(nested, { n: 1 });
  const replay = new Replay(nested, Infinity, () => false);
  for (const entry of instance.journal) if (entry.type === 'event') replay.apply(entry, undefined);
  expect(variables(replay.state)).toMatchObject({ process: { n: 1 }, sub: { n: 2 }, t: { a: 2 } });
});
