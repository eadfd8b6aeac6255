import { describe, expect, it } from 'vitest';
import { accepted, Instance } from '../testing/instance.ts';
import {
  boundary,
  catchEvent,
  chain,
  end,
  errorEnd,
  error,
  gateway,
  eventSubProcess,
  file,
  message,
  script,
  service,
  start,
  subProcess,
  terminateEnd,
  timer,
} from '../testing/xml.ts';

const HOUR = 3_600_000;

const withBoundary = (definition: string, interrupting: boolean) =>
  accepted(
    file(
      [
        start('s'),
        service('host'),
        boundary('b', 'host', definition, { interrupting }),
        service('beside'),
        service('after'),
        chain('s', 'host', 'after'),
        chain('b', 'beside'),
      ],
      {
        messages: { stop: '=key' },
      },
    ),
  );

describe('boundary events', () => {
  it('that interrupt end the host, with its job', async () => {
    const instance = new Instance(await withBoundary(timer('duration', 'PT1H'), true));
    const job = instance.job('host');
    instance.due('b');
    expect(instance.active).toEqual(['beside']);
    expect(instance.effects).toContainEqual({ type: 'cancelJob', job });
    expect(instance.apply({ type: 'jobSucceeded', job, result: {} }).changed).toBe(false);
  });

  it('that do not interrupt run beside the host', async () => {
    const instance = new Instance(await withBoundary(timer('duration', 'PT1H'), false));
    instance.due('b');
    expect(instance.active).toEqual(['host', 'beside']);
    instance.succeed('host');
    expect(instance.active).toEqual(['beside', 'after']);
  });

  it('close when the host completes', async () => {
    const instance = new Instance(await withBoundary(timer('duration', 'PT1H'), true));
    const timers = Object.values(instance.state.timers).map((each) => each.timer);
    instance.succeed('host');
    expect(instance.effects).toContainEqual({ type: 'cancelTimer', timer: timers[0] });
    expect(instance.state.timers).toEqual({});
  });

  it('repeat by cycle, counted from the last due time', async () => {
    const instance = new Instance(await withBoundary(timer('cycle', 'R3/PT1H'), false));
    const began = instance.now;
    instance.due('b');
    instance.now += HOUR / 2;
    expect(Object.values(instance.state.timers)).toMatchObject([{ due: began + 2 * HOUR }]);
    instance.due('b');
    instance.due('b');
    expect(instance.state.timers).toEqual({});
    expect(instance.active.filter((id) => id === 'beside')).toHaveLength(3);
  });

  it('take a message again by a new subscription, so that one that is delivered twice counts once', async () => {
    const instance = new Instance(await withBoundary(message('stop'), false), { key: 'a' });
    const subscription = Object.values(instance.state.subscriptions)[0]?.subscription ?? -1;
    instance.correlate('b', { n: 1 });
    expect(instance.apply({ type: 'messageCorrelated', subscription, variables: {} }).changed).toBe(false);
    instance.correlate('b', { n: 2 });
    expect(instance.active).toEqual(['host', 'beside', 'beside']);
    expect(instance.variables).toEqual({ key: 'a', n: 2 });
  });

  it('evaluate correlation keys in the scope around the host', async () => {
    const graph = await accepted(
      file(
        [
          start('s'),
          service('host', { in: { key: '="inner"' } }),
          boundary('b', 'host', message('stop')),
          end('e'),
          chain('b', 'e'),
          chain('s', 'host'),
        ],
        { messages: { stop: '=key' } },
      ),
    );
    expect(new Instance(graph, { key: 'outer' }).effects).toContainEqual(
      expect.objectContaining({ correlationKey: 'outer' }),
    );
  });

  it('are suspended by an incident when they cannot be opened, and open once', async () => {
    const instance = new Instance(await withBoundary(message('stop'), true));
    expect(instance.state.incidents).toMatchObject([{ type: 'EXTRACT_VALUE_ERROR', elementId: 'host' }]);
    instance.apply({ type: 'setVariables', variables: { key: 3 } });
    instance.retry('host');
    expect(instance.effects.map(({ type }) => type)).toEqual(['openSubscription', 'startJob', 'incidentsChanged']);
  });

  it('of a sub-process end everything in it', async () => {
    const graph = await accepted(
      file([
        start('s'),
        subProcess('sub', [start('ss'), service('a'), service('b'), chain('ss', 'a'), chain('ss', 'b')]),
        boundary('t', 'sub', timer('duration', 'PT1H')),
        service('after'),
        chain('s', 'sub'),
        chain('t', 'after'),
      ]),
    );
    const instance = new Instance(graph);
    instance.due('t');
    expect(instance.active).toEqual(['after']);
    expect(instance.effects.filter(({ type }) => type === 'cancelJob')).toHaveLength(2);
  });
});

describe('timers', () => {
  const waits = (definition: string) =>
    accepted(file([start('s'), catchEvent('t', definition), service('after'), chain('s', 't', 'after')]));
  const due = async (definition: string, variables = {}) => {
    const instance = new Instance(await waits(definition), variables);
    return (Object.values(instance.state.timers)[0]?.due ?? Number.NaN) - instance.now;
  };

  it.each([
    ['a duration from now', timer('duration', 'PT15M'), HOUR / 4],
    ['a negative duration at once', timer('duration', '-PT15M'), 0],
    ['a date', timer('date', '2030-01-01T02:00:00+01:00'), HOUR],
    ['a date in the past, which the platform finds due', timer('date', '2029-12-31T23:00:00Z'), -HOUR],
    ['an expression that gives a text', timer('duration', '=wait'), 60_000],
    ['an expression that gives a duration', timer('duration', '=duration("PT2H")'), 2 * HOUR],
    ['an expression that gives a moment', timer('date', '=now() + duration("PT3H")'), 3 * HOUR],
    ['a moment of a zone', timer('date', '=date and time("2030-01-01T02:00:00@Europe/Berlin")'), HOUR],
    ['a moment that was a variable before', timer('date', '=at'), 2 * HOUR],
  ])('wait for %s', async (_, definition, expected) =>
    expect(await due(definition, { wait: 'PT1M', at: '2030-01-01T02:00:00@Etc/UTC' })).toBe(expected),
  );

  it('are an incident when they are no time', async () => {
    const instance = new Instance(await waits(timer('duration', '=wait')), { wait: 'soon' });
    expect(instance.state.incidents).toMatchObject([{ type: 'EXTRACT_VALUE_ERROR', elementId: 't' }]);
    expect(instance.state.incidents[0]?.error.message).toContain('soon');
  });
});

describe('message events', () => {
  const graph = accepted(
    file([start('s'), catchEvent('m', message('paid')), service('after'), chain('s', 'm', 'after')], {
      messages: { paid: '=order' },
    }),
  );

  it('go on with the variables of the message', async () => {
    const instance = new Instance(await graph, { order: 'x' });
    expect(instance.effects).toMatchObject([{ type: 'openSubscription', messageName: 'paid', correlationKey: 'x' }]);
    instance.correlate('m', { amount: 1 });
    expect(instance.variables).toEqual({ order: 'x', amount: 1 });
    expect(instance.active).toEqual(['after']);
  });

  it.each([[null], [true], [[]], ['']])('are an incident when the correlation key is %j', async (order) => {
    const instance = new Instance(await graph, { order });
    expect(instance.state.incidents).toMatchObject([{ type: 'EXTRACT_VALUE_ERROR', elementId: 'm' }]);
  });
});

describe('event sub-processes', () => {
  const withEvent = (interrupting: boolean) =>
    accepted(
      file(
        [
          start('s'),
          service('a'),
          end('e', { done: '=true' }),
          chain('s', 'a', 'e'),
          eventSubProcess('esp', [
            start('stop', message('stop'), { interrupting, out: { why: '=reason' } }),
            service('tidy'),
            end('ee'),
            chain('stop', 'tidy', 'ee'),
          ]),
        ],
        { messages: { stop: '=key' } },
      ),
    );

  it('that interrupt end everything else in their scope and run once', async () => {
    const instance = new Instance(await withEvent(true), { key: 1 });
    instance.correlate('stop', { reason: 'late' });
    expect(instance.active).toEqual(['esp', 'tidy']);
    expect(instance.state.subscriptions).toEqual({});
    expect(instance.variables).toMatchObject({ why: 'late' });
    instance.succeed('tidy');
    expect(instance.state.phase).toBe('COMPLETED');
    expect(instance.state.outputs).toEqual({});
  });

  it('that do not interrupt run beside it, as often as their event happens', async () => {
    const instance = new Instance(await withEvent(false), { key: 1 });
    instance.correlate('stop');
    instance.correlate('stop');
    expect(instance.active.filter((id) => id === 'tidy')).toHaveLength(2);
    instance.succeed('a');
    expect(instance.state.phase).toBe('RUNNING');
    instance.succeed('tidy');
    instance.succeed('tidy');
    expect(instance.state.phase).toBe('COMPLETED');
  });

  it('let nothing begin any more in the scope that they interrupt', async () => {
    const graph = await accepted(
      file(
        [
          start('s'),
          gateway('parallel', 'p'),
          script('b', 'n', '=1'),
          script('c', 'n', '=1'),
          errorEnd('broken', 'OWN'),
          script('each', 'n', '=1', { loop: { over: '=[1]', sequential: true } }),
          service('late'),
          chain('s', 'p', 'b', 'c', 'broken'),
          chain('p', 'each', 'late'),
          eventSubProcess('esp', [start('caught', error('OWN')), service('mend'), chain('caught', 'mend')]),
        ],
        { errors: ['OWN'] },
      ),
    );
    const instance = new Instance(graph);
    expect(instance.active).toEqual(['esp', 'mend']);
    expect(instance.completed).toContain('each');
  });

  it('throw away the tokens that wait at joins', async () => {
    const graph = await accepted(
      file(
        [
          start('s'),
          gateway('parallel', 'p'),
          service('a'),
          gateway('parallel', 'j'),
          end('e'),
          chain('s', 'p', 'a', 'j', 'e'),
          chain('p', 'j'),
          eventSubProcess('esp', [start('stop', message('stop')), end('ee'), chain('stop', 'ee')]),
        ],
        { messages: { stop: '=key' } },
      ),
    );
    const instance = new Instance(graph, { key: 1 });
    instance.correlate('stop');
    expect(instance.state).toMatchObject({ phase: 'COMPLETED', incidents: [] });
  });

  it('rescue a scope that could not complete', async () => {
    const graph = await accepted(
      file(
        [
          start('s'),
          subProcess(
            'sub',
            [
              start('ss'),
              service('a'),
              chain('ss', 'a'),
              eventSubProcess('esp', [
                start('stop', message('stop'), { interrupting: false }),
                service('mend'),
                chain('stop', 'mend'),
              ]),
            ],
            {
              out: { x: '=assert(ready, ready = true)' },
            },
          ),
          chain('s', 'sub'),
        ],
        { messages: { stop: '=key' } },
      ),
    );
    const instance = new Instance(graph, { key: 1 });
    instance.succeed('a');
    expect(instance.state.incidents).toHaveLength(1);
    instance.correlate('stop');
    instance.succeed('mend', { ready: true });
    expect(instance.state).toMatchObject({ phase: 'COMPLETED', incidents: [] });
  });
});

describe('terminate end events', () => {
  it('end the rest of their scope, which completes', async () => {
    const graph = await accepted(
      file([
        start('s'),
        subProcess('sub', [
          start('ss'),
          service('a'),
          service('b'),
          terminateEnd('stop'),
          chain('ss', 'a', 'stop'),
          chain('ss', 'b'),
        ]),
        service('after'),
        service('other'),
        chain('s', 'sub', 'after'),
        chain('s', 'other'),
      ]),
    );
    const instance = new Instance(graph);
    instance.succeed('a');
    expect(instance.active).toEqual(['other', 'after']);
  });

  it('leave nothing behind of what was just about to begin', async () => {
    const graph = await accepted(
      file([
        start('s'),
        gateway('parallel', 'p'),
        script('x', 'n', '=1'),
        service('a'),
        terminateEnd('stop'),
        chain('s', 'p', 'x', 'a'),
        chain('p', 'stop'),
      ]),
    );
    const { state, completed } = new Instance(graph);
    expect(state.phase).toBe('COMPLETED');
    expect(completed).toContain('x');
  });

  it('at the root complete the instance, incidents of others included', async () => {
    const graph = await accepted(
      file([start('s'), service('a'), service('b'), terminateEnd('stop'), chain('s', 'a', 'stop'), chain('s', 'b')]),
    );
    const instance = new Instance(graph);
    instance.fail('b');
    instance.succeed('a');
    expect(instance.state).toMatchObject({ phase: 'COMPLETED', incidents: [], elements: {} });
    expect(instance.effects.at(-1)?.type).toBe('finished');
  });
});

it('a process ends when nothing is left in it, also without end events', async () => {
  const graph = await accepted(file([start('s'), script('x', 'n', '=1'), chain('s', 'x')]));
  expect(new Instance(graph).state.phase).toBe('COMPLETED');
});

it('starts at the start event that is asked for', async () => {
  const graph = await accepted(
    file(
      [
        start('s'),
        start('byMessage', message('go'), { out: { n: '=given + 1' } }),
        service('a'),
        service('b'),
        chain('s', 'a'),
        chain('byMessage', 'b'),
      ],
      { messages: { go: null } },
    ),
  );
  expect(new Instance(graph).active).toEqual(['a']);
  const instance = new Instance(graph, { given: 1 }, { startEvent: 'byMessage' });
  expect([instance.active, instance.variables]).toEqual([['b'], { given: 1, n: 2 }]);
  expect(() => new Instance(graph, {}, { startEvent: 'a' })).toThrow('no start event a');
});
