import { expect, it } from 'vitest';
import { accepted, Instance } from '../testing/instance.ts';
import { chain, end, file, flow, gateway, script, service, start, subProcess } from '../testing/xml.ts';
import { Runaway } from './failure.ts';
import { statusOf } from './status.ts';

// Endless growth is stopped within its step.

it('a loop of as many rounds as are allowed runs, and one more is an incident', async () => {
  const loop = { over: '=for i in 1..n return i', as: 'i', into: 'all', collect: '=i' };
  const graph = await accepted(file([start('s'), script('t', 'x', '=i', { loop }), end('e'), chain('s', 't', 'e')]));
  const most = new Instance(graph, { n: 10_000 });
  expect([statusOf(most.live), (most.effects.at(-1) as { outcome?: object }).outcome]).toMatchObject([
    'SUCCEEDED',
    { type: 'completed' },
  ]);
  const { state } = new Instance(graph, { n: 10_001 });
  expect(state.incidents).toMatchObject([{ elementId: 't', error: { message: expect.stringContaining('10001') } }]);
});

it('loops in loops whose rounds together are too many are refused before they fill the memory', async () => {
  const inner = service('inner', { loop: { over: '=for i in 1..10000 return i' } });
  const outer = subProcess('outer', [start('is'), inner, chain('is', 'inner')], {
    loop: { over: '=for i in 1..10000 return i' },
  });
  const graph = await accepted(file([start('s'), outer, chain('s', 'outer')]));
  const begin = () => new Instance(graph);
  expect(begin).toThrow(Runaway);
  expect(begin).toThrow(/more than 100000 elements at once/);
});

it('tokens that multiply in a loop of gateways are refused before they fill the memory', async () => {
  const ids = Array.from({ length: 500 }, (_, index) => `x${index}`);
  const graph = await accepted(
    file([
      start('s'),
      gateway('exclusive', 'again'),
      gateway('parallel', 'split'),
      chain('s', 'again', 'split'),
      ...ids.flatMap((id) => [script(id, 'n', '=n + 1'), chain('split', id, 'again')]),
    ]),
  );
  expect(() => new Instance(graph, { n: 0 })).toThrow(Runaway);
});

it('a loop of gateways that waits for nothing ends with one incident, at an element of the loop', async () => {
  const graph = await accepted(
    file([
      start('s'),
      gateway('exclusive', 'again'),
      script('count', 'n', '=n + 1'),
      gateway('exclusive', 'enough', 'again'),
      end('e'),
      chain('s', 'again', 'count', 'enough', 'again'),
      flow('enough', 'e', '=n < 0'),
    ]),
  );
  const { state } = new Instance(graph, { n: 0 });
  expect(state.incidents).toMatchObject([{ type: 'TRANSITION_LIMIT' }]);
  expect(['again', 'count', 'enough']).toContain(state.incidents[0]?.elementId);
});
