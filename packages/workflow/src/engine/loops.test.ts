import { describe, expect, it } from 'vitest';
import { accepted, Instance } from '../testing/instance.ts';
import {
  boundary,
  chain,
  end,
  file,
  script,
  service,
  start,
  subProcess,
  timer,
  type Activity,
  type Loop,
} from '../testing/xml.ts';

const each = (loop: Loop, given: Activity = {}) =>
  accepted(
    file([
      start('s'),
      service('t', { in: { data: '=item' }, ...given, loop }),
      boundary('b', 't', timer('duration', 'PT1H')),
      service('after'),
      service('late'),
      chain('s', 't', 'after'),
      chain('b', 'late'),
    ]),
  );
const list: Loop = { over: '=items', as: 'item', into: 'results', collect: '=n' };

describe('parallel', () => {
  it('calls the service for every item at once and collects in their order', async () => {
    const instance = new Instance(await each(list), { items: ['x', 'y', 'z'] });
    const jobs = instance.effects.flatMap((effect) => (effect.type === 'startJob' ? [effect] : []));
    expect(jobs.map(({ input }) => input)).toEqual([{ data: 'x' }, { data: 'y' }, { data: 'z' }]);
    for (const [index, { job }] of [...jobs.entries()].toReversed()) {
      instance.apply({ type: 'jobSucceeded', job, result: { n: index } });
    }
    expect(instance.variables).toEqual({ items: ['x', 'y', 'z'], results: [0, 1, 2] });
    expect(instance.active).toEqual(['after']);
  });

  it('is interrupted as a whole by a boundary event, and gives nothing then', async () => {
    const instance = new Instance(await each(list), { items: [1, 2] });
    instance.succeed('t', { n: 1 });
    instance.due('b');
    expect(instance.active).toEqual(['late']);
    expect(instance.variables['results']).toBeUndefined();
  });

  it('one failing instance is one incident, the others go on', async () => {
    const instance = new Instance(await each(list), { items: [1, 2] });
    instance.fail('t');
    instance.succeed('t', { n: 2 });
    expect(instance.state.incidents).toHaveLength(1);
    instance.retry('t');
    instance.succeed('t', { n: 1 });
    expect(instance.variables['results']).toEqual([1, 2]);
  });
});

describe('sequential', () => {
  it('takes one item after the other', async () => {
    const instance = new Instance(await each({ ...list, sequential: true }), { items: ['x', 'y'] });
    expect(instance.input('t')).toEqual({ data: 'x' });
    instance.succeed('t', { n: 1 });
    expect(instance.input('t')).toEqual({ data: 'y' });
    instance.succeed('t', { n: 2 });
    expect(instance.variables['results']).toEqual([1, 2]);
  });

  it('reads the collection again, and is an incident when it has become too short', async () => {
    const instance = new Instance(await each({ ...list, sequential: true }), { items: ['x', 'y'] });
    instance.apply({ type: 'setVariables', variables: { items: ['x'] } });
    instance.succeed('t', { n: 1 });
    expect(instance.state.incidents).toMatchObject([{ type: 'EXTRACT_VALUE_ERROR', elementId: 't' }]);
    instance.apply({ type: 'setVariables', variables: { items: ['x', 'changed'] } });
    instance.retry('t');
    expect(instance.input('t')).toEqual({ data: 'changed' });
  });
});

it.each([[true], [false]])(
  'an empty collection completes at once with an empty result (sequential: %s)',
  async (sequential) => {
    const instance = new Instance(await each({ ...list, sequential }), { items: [] });
    expect(instance.variables).toEqual({ items: [], results: [] });
    expect(instance.active).toEqual(['after']);
  },
);

it.each([['text'], [null], [{}]])('a collection that is %j is an incident', async (items) => {
  expect(new Instance(await each(list), { items }).state.incidents).toMatchObject([
    { type: 'EXTRACT_VALUE_ERROR', elementId: 't' },
  ]);
});

it('ends early when the completion condition is true', async () => {
  const until = '=numberOfCompletedInstances >= 2 and numberOfInstances = 3 and numberOfActiveInstances = 1';
  const instance = new Instance(await each({ ...list, until }), { items: [1, 2, 3] });
  instance.succeed('t', { n: 1 });
  expect(instance.active).toHaveLength(4 - 1);
  instance.succeed('t', { n: 2 });
  expect(instance.active).toEqual(['after']);
  expect(instance.variables['results']).toEqual([1, 2, null]);
});

it('a completion condition that is no boolean holds the instance, whose outputs are not mapped again', async () => {
  const instance = new Instance(await each({ ...list, until: '=enough' }, { out: { n: '=n + 1' } }), { items: [1] });
  instance.succeed('t', { n: 1 });
  expect(instance.state.incidents).toMatchObject([{ type: 'EXTRACT_VALUE_ERROR', elementId: 't' }]);
  instance.apply({ type: 'setVariables', variables: { enough: true } });
  instance.retry('t');
  expect(instance.variables['results']).toEqual([2]);
});

it('instances know their place, and do not share what they collect', async () => {
  const graph = await accepted(
    file([
      start('s'),
      subProcess(
        'sub',
        [start('ss'), script('x', 'out', '=loopCounter * 10 + item'), end('se'), chain('ss', 'x', 'se')],
        {
          loop: { over: '=items', as: 'item', into: 'results', collect: '=out' },
        },
      ),
      service('after'),
      chain('s', 'sub', 'after'),
    ]),
  );
  expect(new Instance(graph, { items: [1, 2] }).variables).toEqual({ items: [1, 2], results: [11, 22] });
});

it('ten thousand items are allowed, one more is an incident', async () => {
  const graph = await accepted(
    file([
      start('s'),
      script('x', 'n', '=item', { loop: { over: '=items', as: 'item' } }),
      service('after'),
      chain('s', 'x', 'after'),
    ]),
  );
  const items = Array.from({ length: 10_000 }, (_, index) => index);
  expect(new Instance(graph, { items }).active).toEqual(['after']);
  expect(new Instance(graph, { items: [...items, 0] }).state.incidents).toMatchObject([{ elementId: 'x' }]);
});

it.each([[true], [false]])(
  'the condition to complete sees what is collected, with the round that has just ended (sequential: %s)',
  async (sequential) => {
    const until = { ...list, sequential, until: '=count(results[item != null]) >= 2' };
    const instance = new Instance(await each(until), { items: ['x', 'y', 'z'], results: 'of the process' });
    instance.succeed('t', { n: 1 });
    expect(instance.active).not.toEqual(['after']);
    instance.succeed('t', { n: 2 });
    expect(instance.active).toEqual(['after']);
    expect(instance.variables['results']).toEqual([1, 2, null]);
  },
);
