import { describe, expect, it } from 'vitest';
import { accepted, Instance } from '../testing/instance.ts';
import { catchEvent, chain, end, file, flow, gateway, message, script, service, start, timer } from '../testing/xml.ts';

describe('exclusive gateway', async () => {
  const graph = await accepted(
    file([
      start('s'),
      gateway('exclusive', 'x', 'other'),
      service('other'),
      service('big'),
      service('bigger'),
      chain('s', 'x'),
      flow('x', 'other'),
      flow('x', 'big', '=n > 1'),
      flow('x', 'bigger', '=n > 10'),
      end('e'),
      chain('big', 'e'),
    ]),
  );

  it.each([
    ['takes the first flow in the order of the file whose condition is true', 11, ['big']],
    ['takes the default flow last, wherever it stands', 0, ['other']],
  ])('%s', (_, n, active) => expect(new Instance(graph, { n }).active).toEqual(active));

  it('is an incident when a condition is neither true nor false', () => {
    const instance = new Instance(graph, { n: 'many' });
    expect(instance.state.incidents).toMatchObject([{ type: 'EXTRACT_VALUE_ERROR', elementId: 'x' }]);
    instance.apply({ type: 'setVariables', variables: { n: 2 } });
    instance.retry('x');
    expect(instance.active).toEqual(['big']);
  });

  it('is an incident when no condition is true and there is no default', async () => {
    const without = file([
      start('s'),
      gateway('exclusive', 'x'),
      service('a'),
      service('b'),
      chain('s', 'x'),
      flow('x', 'a', '=false'),
      flow('x', 'b', '=n = 1'),
    ]);
    const instance = new Instance(await accepted(without), { n: 2 });
    expect(instance.state.incidents).toMatchObject([
      { type: 'CONDITION_ERROR', elementId: 'x', error: { errorCode: 'WORKFLOW_ERROR' } },
    ]);
  });

  it('passes each token on by itself where flows meet', async () => {
    const graph = await accepted(
      file([
        start('s'),
        gateway('parallel', 'p'),
        gateway('exclusive', 'x'),
        service('a'),
        chain('s', 'p', 'x', 'a'),
        '<sequenceFlow id="second" sourceRef="p" targetRef="x"/>',
      ]),
    );
    expect(new Instance(graph).active).toEqual(['a', 'a']);
  });
});

describe('parallel gateway', () => {
  const forked = (between: string[]) =>
    file([
      start('s'),
      gateway('parallel', 'p'),
      service('a'),
      service('b'),
      gateway('parallel', 'j'),
      service('after'),
      chain('s', 'p', 'a', 'j', 'after'),
      chain('p', 'b', 'j'),
      ...between,
    ]);

  it('fires when every incoming flow has a token', async () => {
    const instance = new Instance(await accepted(forked([])));
    expect(instance.active).toEqual(['a', 'b']);
    instance.succeed('b');
    expect(instance.active).toEqual(['a']);
    instance.succeed('a');
    expect(instance.active).toEqual(['after']);
  });

  it('keeps a second token of one flow for the next time', async () => {
    const graph = await accepted(
      file([
        start('s'),
        gateway('parallel', 'p'),
        service('a'),
        service('b'),
        gateway('exclusive', 'twice'),
        gateway('parallel', 'j'),
        service('after'),
        chain('s', 'p', 'a', 'twice', 'j', 'after'),
        chain('p', 'b', 'j'),
        '<sequenceFlow id="again" sourceRef="p" targetRef="twice"/>',
      ]),
    );
    const instance = new Instance(graph);
    instance.succeed('a');
    instance.succeed('b');
    expect(instance.active).toEqual(['after']);
    expect(instance.state.elements[1]?.waiting).toEqual([{ gateway: 'j', flow: 'twice_j', count: 1 }]);
    instance.succeed('after');
    expect(instance.state.incidents).toMatchObject([{ type: 'DEADLOCK', elementId: 'j' }]);
  });

  it('may join and split at once', async () => {
    const both = forked([service('c'), flow('j', 'c')]);
    const instance = new Instance(await accepted(both));
    instance.succeed('a');
    instance.succeed('b');
    expect(instance.active).toEqual(['after', 'c']);
  });

  it('is an incident when it waits for a flow that nobody can come along', async () => {
    const graph = await accepted(
      file([
        start('s'),
        gateway('exclusive', 'x', 'a'),
        script('a', 'v', '=1'),
        script('b', 'v', '=2'),
        gateway('parallel', 'j'),
        end('e'),
        chain('s', 'x', 'a', 'j', 'e'),
        flow('x', 'b', '=false'),
        chain('b', 'j'),
      ]),
    );
    const { state } = new Instance(graph);
    expect(state.incidents).toMatchObject([{ type: 'DEADLOCK', elementId: 'j' }]);
  });
});

describe('inclusive gateway', async () => {
  const graph = await accepted(
    file([
      start('s'),
      gateway('inclusive', 'i', 'other'),
      service('a'),
      service('b'),
      service('other'),
      gateway('inclusive', 'j'),
      service('after'),
      chain('s', 'i'),
      flow('i', 'a', '=n > 0'),
      flow('i', 'b', '=n > 1'),
      flow('i', 'other'),
      chain('a', 'j', 'after'),
      chain('b', 'j'),
      chain('other', 'j'),
    ]),
  );

  it.each([
    ['takes every flow whose condition is true', 2, ['a', 'b']],
    ['takes one', 1, ['a']],
    ['takes the default flow when no condition is true', 0, ['other']],
  ])('%s', (_, n, active) => expect(new Instance(graph, { n }).active).toEqual(active));

  it('waits for the tokens that can still come, and for no others', () => {
    const instance = new Instance(graph, { n: 2 });
    instance.succeed('a');
    expect(instance.active).toEqual(['b']);
    instance.succeed('b');
    expect(instance.active).toEqual(['after']);
    const alone = new Instance(graph, { n: 1 });
    alone.succeed('a');
    expect(alone.active).toEqual(['after']);
  });

  it('fires when the last token that could have come has ended elsewhere', async () => {
    const graph = await accepted(
      file([
        start('s'),
        gateway('inclusive', 'i'),
        service('a'),
        service('b'),
        gateway('exclusive', 'x', 'dead'),
        end('dead'),
        gateway('inclusive', 'j'),
        service('after'),
        chain('s', 'i'),
        flow('i', 'a', '=true'),
        flow('i', 'b', '=true'),
        chain('a', 'j', 'after'),
        chain('b', 'x', 'dead'),
        flow('x', 'j', '=false'),
      ]),
    );
    const instance = new Instance(graph);
    instance.succeed('a');
    expect(instance.active).toEqual(['b']);
    instance.succeed('b');
    expect(instance.active).toEqual(['after']);
  });

  it('counts ways over boundary events as ways to the join', async () => {
    const graph = await accepted(
      file([
        start('s'),
        gateway('parallel', 'p'),
        service('a'),
        service('b'),
        end('bEnd'),
        `<boundaryEvent id="late" attachedToRef="b">${timer('duration', 'PT1H')}</boundaryEvent>`,
        gateway('inclusive', 'j'),
        service('after'),
        chain('s', 'p', 'a', 'j', 'after'),
        chain('p', 'b', 'bEnd'),
        chain('late', 'j'),
      ]),
    );
    const instance = new Instance(graph);
    instance.succeed('a');
    expect(instance.active).toEqual(['b']);
    instance.due('late');
    expect(instance.active).toEqual(['after']);
  });
});

describe('event-based gateway', async () => {
  const graph = await accepted(
    file(
      [
        start('s'),
        gateway('eventBased', 'g'),
        catchEvent('paid', message('paid'), { out: { amount: '=amount' } }),
        catchEvent('late', timer('duration', 'PT1H')),
        service('ship'),
        service('remind'),
        chain('s', 'g', 'paid', 'ship'),
        chain('g', 'late', 'remind'),
      ],
      { messages: { paid: '=order' } },
    ),
  );

  it('opens all events, takes the first that happens and closes the others', () => {
    const instance = new Instance(graph, { order: 7 });
    expect(instance.effects).toMatchObject([
      { type: 'openSubscription', elementId: 'paid', messageName: 'paid', correlationKey: '7' },
      { type: 'setTimer', elementId: 'late', due: instance.now + 3_600_000 },
    ]);
    instance.correlate('paid', { amount: 3 });
    expect(instance.active).toEqual(['ship']);
    expect(instance.variables).toMatchObject({ amount: 3 });
    expect(instance.effects.map(({ type }) => type)).toContain('cancelTimer');
    expect(instance.state.timers).toEqual({});
  });

  it('is left only once', () => {
    const instance = new Instance(graph, { order: 7 });
    const late = Object.values(instance.state.timers)[0]?.timer ?? -1;
    instance.correlate('paid');
    expect(instance.apply({ type: 'timerDue', timer: late }).changed).toBe(false);
    expect(instance.completed).not.toContain('late');
  });
});

it('takes all flows that leave a task', async () => {
  const graph = await accepted(
    file([start('s'), service('t'), service('a'), service('b'), chain('s', 't', 'a'), chain('t', 'b')]),
  );
  const instance = new Instance(graph);
  instance.succeed('t');
  expect(instance.active).toEqual(['a', 'b']);
});
