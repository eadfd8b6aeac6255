import { describe, expect, it } from 'vitest';
import { requirements } from '../requirements.ts';
import { accepted, Instance, refusals, stored } from '../testing/instance.ts';
import {
  boundary,
  catchEvent,
  chain,
  end,
  eventSubProcess,
  file,
  flow,
  gateway,
  service,
  signal,
  start,
  throwSignal,
} from '../testing/xml.ts';
import { start as begin } from './step.ts';
import { limits } from './limits.ts';

const signals = ['alarm'];
const graphOf = (parts: readonly string[]) => accepted(file(parts, { signals }));
const thrownBy = ({ effects }: Instance) => effects.filter(({ type }) => type === 'broadcastSignal');
const effectsOf = ({ effects }: Instance) => effects.map(({ type }) => type);

describe('an event that broadcasts a signal', () => {
  it('gives it the variables of its input mappings, and goes on', async () => {
    const thrower = throwSignal('t', 'alarm', { in: { total: '=a + 1' } });
    const instance = new Instance(await graphOf([start('s'), thrower, end('e'), chain('s', 't', 'e')]), { a: 1 });
    expect(thrownBy(instance)).toEqual([
      {
        type: 'broadcastSignal',
        signal: expect.any(Number) as number,
        elementId: 't',
        signalName: 'alarm',
        variables: { total: 2 },
      },
    ]);
    expect(instance.state.phase).toBe('COMPLETED');
    expect(instance.rebuilt()).toEqual(instance.state);
  });

  it('can be the end of a process, whose result it maps', async () => {
    const thrower = throwSignal('t', 'alarm', { in: { sum: '=a' }, out: { all: '=sum' }, ends: true });
    const instance = new Instance(await graphOf([start('s'), thrower, chain('s', 't')]), { a: 3 });
    expect(thrownBy(instance)).toMatchObject([{ variables: { sum: 3 } }]);
    expect([instance.state.phase, instance.live.outputs]).toEqual(['COMPLETED', { all: 3 }]);
  });

  it('takes a name that an expression gives; a name that is none is an incident', async () => {
    const parts = [start('s'), throwSignal('t', '=which'), end('e'), chain('s', 't', 'e')];
    const xml = file(parts).replace('</definitions>', '<signal id="signal_=which" name="=which"/></definitions>');
    const graph = await accepted(xml.replaceAll('signal_=which', 'signal_which'));
    expect(thrownBy(new Instance(graph, { which: 'fire' }))).toMatchObject([{ signalName: 'fire' }]);
    const failing = new Instance(graph, { which: 'x'.repeat(limits.messageName + 1) });
    expect(failing.state.incidents).toMatchObject([{ type: 'EXTRACT_VALUE_ERROR', elementId: 't' }]);
    failing.apply({ type: 'setVariables', variables: { which: 'right' } });
    failing.retry('t');
    expect(thrownBy(failing)).toMatchObject([{ signalName: 'right' }]);
  });

  it('has an incident with more variables than a signal may have', async () => {
    const thrower = throwSignal('t', 'alarm', { in: { a: '=a' } });
    const graph = await graphOf([start('s'), thrower, end('e'), chain('s', 't', 'e')]);
    const instance = new Instance(graph, { a: 'x'.repeat(limits.signalBytes) });
    expect([thrownBy(instance).length, instance.state.incidents[0]?.type]).toEqual([0, 'EXTRACT_VALUE_ERROR']);
  });

  it('has a lower number than what its instance waits for later, and a higher one than what waits already', async () => {
    const waits = [catchEvent('before', signal('alarm')), catchEvent('after', signal('alarm')), end('e')];
    const parts = [start('s'), gateway('parallel', 'g'), throwSignal('t', 'alarm'), ...waits];
    const graph = await graphOf([...parts, chain('s', 'g', 'before', 'e'), chain('g', 't', 'after', 'e')]);
    const instance = new Instance(graph);
    const numberOf = (id: string) =>
      Object.values(instance.state.subscriptions).find(({ elementId }) => elementId === id)?.subscription ?? 0;
    const [thrown] = thrownBy(instance);
    const number = thrown?.type === 'broadcastSignal' ? thrown.signal : 0;
    expect(numberOf('before')).toBeLessThan(number);
    expect(numberOf('after')).toBeGreaterThan(number);
  });
});

describe('an event that waits for a signal', () => {
  it('goes on with the variables of the signal by its output mappings', async () => {
    const waiting = catchEvent('c', signal('alarm'), { out: { why: '=reason' } });
    const instance = new Instance(
      await graphOf([start('s'), waiting, end('e', { why: '=why' }), chain('s', 'c', 'e')]),
    );
    expect(instance.effects).toEqual([
      {
        type: 'openSignalSubscription',
        subscription: expect.any(Number) as number,
        elementId: 'c',
        signalName: 'alarm',
      },
    ]);
    expect(stored(instance.live)).toEqual(instance.live);
    instance.correlate('c', { reason: 'fire', other: 1 });
    expect([instance.state.phase, instance.live.outputs]).toEqual(['COMPLETED', { why: 'fire' }]);
    expect(effectsOf(instance)).toContain('closeSignalSubscription');
    expect(instance.rebuilt()).toEqual(instance.state);
  });

  it('at a boundary that interrupts ends its host', async () => {
    const parts = [start('s'), service('h'), boundary('b', 'h', signal('alarm')), end('e'), end('f')];
    const instance = new Instance(await graphOf([...parts, chain('s', 'h', 'e'), chain('b', 'f')]));
    instance.correlate('b', { reason: 'fire' });
    expect(effectsOf(instance)).toEqual(expect.arrayContaining(['cancelJob', 'closeSignalSubscription']));
    expect(instance.completed).toContain('f');
  });

  it('at a boundary that does not interrupt stays open, and receives every signal', async () => {
    const beside = boundary('b', 'h', signal('alarm'), { interrupting: false });
    const parts = [start('s'), service('h'), beside, end('e'), end('f')];
    const instance = new Instance(await graphOf([...parts, chain('s', 'h', 'e'), chain('b', 'f')]));
    const [open] = Object.values(instance.state.subscriptions);
    const subscription = open?.subscription ?? 0;
    for (const round of [1, 2]) {
      instance.apply({ type: 'signalReceived', subscription, variables: { round } });
      expect(instance.completed.filter((id) => id === 'f')).toHaveLength(round);
    }
    instance.succeed('h');
    expect(instance.state.phase).toBe('COMPLETED');
    expect(effectsOf(instance)).toContain('closeSignalSubscription');
    expect(instance.apply({ type: 'signalReceived', subscription, variables: {} }).changed).toBe(false);
  });

  it.each([true, false])('starts an event sub-process that interrupts: %s', async (interrupting) => {
    const inner = [start('i', signal('alarm'), { interrupting, out: { why: '=reason' } }), end('ie'), chain('i', 'ie')];
    const parts = [start('s'), service('h'), eventSubProcess('esp', inner), end('e', { why: '=why' })];
    const instance = new Instance(await graphOf([...parts, chain('s', 'h', 'e')]));
    instance.correlate('i', { reason: 'fire' });
    expect(instance.completed).toContain('esp');
    expect(instance.state.phase).toBe(interrupting ? 'COMPLETED' : 'RUNNING');
    if (!interrupting) instance.succeed('h');
    expect(instance.state.phase).toBe('COMPLETED');
  });

  it('behind an event-based gateway is the one that happens', async () => {
    const parts = [
      start('s'),
      gateway('eventBased', 'g'),
      catchEvent('c', signal('alarm')),
      catchEvent('d', signal('b')),
    ];
    const xml = file([...parts, end('e'), chain('s', 'g', 'c', 'e'), chain('g', 'd', 'e')], {
      signals: ['alarm', 'b'],
    });
    const instance = new Instance(await accepted(xml));
    instance.correlate('d');
    expect(instance.completed).toEqual(expect.arrayContaining(['d', 'e']));
    expect(instance.state.phase).toBe('COMPLETED');
  });
});

describe('a signal start event', () => {
  const parts = [start('s', signal('alarm'), { out: { why: '=reason' } }), end('e', { why: '=why' }), chain('s', 'e')];

  it('starts an instance with the variables of the signal', async () => {
    const graph = await graphOf(parts);
    expect(requirements(graph)).toMatchObject({
      signalStarts: [{ elementId: 's', signalName: 'alarm' }],
      signals: [],
      startEvent: null,
    });
    const request = { startEvent: 's', variables: { reason: 'fire' }, seed: '1' };
    const { state } = begin(graph, request, { now: 0 });
    expect([state.phase, state.outputs]).toEqual(['COMPLETED', { why: 'fire' }]);
  });

  it.each([
    ['without a name', '<signal id="signal_x" name=""/>', 'SIGNAL s'],
    ['whose name is an expression', '<signal id="signal_x" name="=a"/>', 'SIGNAL s'],
    ['whose name is no FEEL', '<signal id="signal_x" name="=)"/>', 'EXPRESSION s'],
  ])('is refused with a signal %s', async (_what, given, problem) => {
    const xml = file([start('s', signal('x')), end('e'), chain('s', 'e')]);
    expect(await refusals(xml.replace('</definitions>', `${given}</definitions>`))).toEqual([problem]);
  });

  it('is refused with a signal that is not in the file', async () => {
    const xml = file([start('s', signal('x')), end('e'), chain('s', 'e')]);
    expect(await refusals(xml)).toEqual(['SIGNAL s']);
  });
});

it('lists what an instance waits for without what starts it', async () => {
  const waiting = catchEvent('c', signal('alarm'));
  const graph = await graphOf([
    start('s'),
    gateway('exclusive', 'g'),
    waiting,
    end('e'),
    chain('s', 'g'),
    flow('g', 'c'),
    chain('c', 'e'),
  ]);
  expect(requirements(graph)).toMatchObject({ signalStarts: [], signals: [{ elementId: 'c', signalName: 'alarm' }] });
});
