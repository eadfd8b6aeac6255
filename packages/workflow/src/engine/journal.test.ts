import { toStored } from '../state/stored.ts';
import { describe, expect, it } from 'vitest';
import { accepted, Instance } from '../testing/instance.ts';
import {
  boundary,
  chain,
  end,
  file,
  flow,
  gateway,
  message,
  script,
  service,
  serviceId,
  start,
  timer,
} from '../testing/xml.ts';
import type { Value } from '../types.ts';
import { resultOf, statusOf } from './status.ts';

const graph = accepted(
  file(
    [
      start('s'),
      script('x', 'id', '=uuid()'),
      service('t', { out: { n: '=n' } }),
      boundary('m', 't', message('news'), { interrupting: false }),
      boundary('late', 't', timer('duration', 'PT1H')),
      end('me'),
      end('le'),
      end('e', { n: '=n' }),
      chain('s', 'x', 't', 'e'),
      chain('m', 'me'),
      chain('late', 'le'),
    ],
    { messages: { news: '=key' } },
  ),
);

it('the journal alone rebuilds the state, at every moment', async () => {
  const instance = new Instance(await graph, { key: 1 });
  const steps = [
    () => instance.correlate('m', { a: 1 }),
    () => instance.apply({ type: 'jobDelayed', job: instance.job('t'), reason: 'Nobody answers.' }),
    () => instance.fail('t'),
    () => instance.retry('t'),
    () => instance.succeed('t', { n: 2 }),
  ];
  for (const next of steps) {
    next();
    expect(JSON.parse(JSON.stringify(instance.rebuilt()))).toEqual(JSON.parse(JSON.stringify(instance.state)));
  }
  expect(resultOf(instance.live)).toEqual({ n: 2 });
});

it('a journal counts without gaps', async () => {
  const instance = new Instance(await graph, { key: 1 });
  instance.succeed('t', { n: 2 });
  expect(instance.journal.map(({ seq }) => seq)).toEqual(instance.journal.map((_, index) => index + 1));
  expect(instance.state.seq).toBe(instance.journal.length);
});

it('a job that is delayed is in the journal once, and once more when it is tried again after it has failed', async () => {
  const instance = new Instance(await graph, { key: 1 });
  const delay = () => instance.apply({ type: 'jobDelayed', job: instance.job('t'), reason: 'Nobody answers.' });
  expect([delay().changed, delay().changed]).toEqual([true, false]);
  instance.fail('t');
  instance.retry('t');
  expect(delay().changed).toBe(true);
  instance.succeed('t', { n: 2 });
  const delays = instance.journal.filter(({ type }) => type === 'delayed');
  expect(delays).toEqual([1, 2].map(() => expect.objectContaining({ elementId: 't', reason: 'Nobody answers.' })));
  expect(JSON.stringify(instance.state)).not.toContain('delayed');
});

describe('events that come late or twice change nothing', () => {
  it.each([
    ['a job that nobody waits for', { type: 'jobSucceeded', job: 999, result: {} }],
    ['a delay of a job that nobody waits for', { type: 'jobDelayed', job: 999, reason: '' }],
    ['a timer that is gone', { type: 'timerDue', timer: 999 }],
    ['a subscription that is closed', { type: 'messageCorrelated', subscription: 999, variables: {} }],
    ['a child that is unknown', { type: 'childEnded', child: 999, outcome: { type: 'cancelled' } }],
    ['an incident that is resolved', { type: 'resolveIncident', incident: 999 }],
    ['a second start', { type: 'start', variables: {}, seed: '' }],
    ['variables of an element that has ended', { type: 'setVariables', scope: 999, variables: {} }],
  ] as const)('%s', async (_, event) => {
    const instance = new Instance(await graph, { key: 1 });
    const { live: state } = instance;
    const result = instance.apply(event);
    expect(result).toMatchObject({ changed: false, effects: [], journal: [] });
    expect(toStored(result.state)).toEqual(toStored(state));
  });

  it('anything after the end', async () => {
    const instance = new Instance(await graph, { key: 1 });
    instance.apply({ type: 'cancel' });
    expect(instance.apply({ type: 'cancel' }).changed).toBe(false);
  });
});

describe('values that are nested too deep to be stored', () => {
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as Value;

  it('make the service fail that returned them', async () => {
    const instance = new Instance(await graph, { key: 1 });
    instance.succeed('t', deep);
    expect(resultOf(instance.live)).toMatchObject({
      errors: [{ errorCode: 'HUB_SERVICE_FAILED', serviceId, message: expect.stringContaining('200 deep') as string }],
    });
    expect(instance.rebuilt()).toEqual(instance.state);
  });

  it('make it fail under the service and the application of its call', async () => {
    const called = { serviceId, applicationId: '01890000-0000-7000-8000-00000000000a' };
    const instance = new Instance(await graph, { key: 1 });
    instance.apply({ type: 'jobSucceeded', job: instance.job('t'), result: deep, called });
    expect(resultOf(instance.live)).toMatchObject({ errors: [called] });
    instance.retry('t');
    instance.apply({ type: 'jobSucceeded', job: instance.job('t'), result: { n: 1 }, called });
    expect(instance.journal.filter((entry) => entry.type === 'event').at(-1)).toMatchObject({
      event: expect.not.objectContaining({ called }) as object,
    });
    expect(instance.rebuilt()).toEqual(instance.state);
  });

  it('are an incident where an expression makes them', async () => {
    const nesting = await accepted(
      file([
        start('s'),
        gateway('exclusive', 'm'),
        script('x', 'n', '={deeper: n}'),
        gateway('exclusive', 'd', 'm'),
        end('e'),
        chain('s', 'm', 'x', 'd', 'm'),
        flow('d', 'e', '=false'),
      ]),
    );
    expect(new Instance(nesting).state.incidents).toMatchObject([{ type: 'EXTRACT_VALUE_ERROR', elementId: 'x' }]);
  });

  it('change nothing in messages, and cannot start an instance', async () => {
    const instance = new Instance(await graph, { key: 1 });
    expect(instance.correlate('m', { deep }).changed).toBe(false);
    expect(instance.apply({ type: 'setVariables', variables: { deep } }).changed).toBe(false);
    const started = await graph;
    expect(() => new Instance(started, { deep })).toThrow('200 deep');
  });
});

it('cancelling ends everything, and the status stays CANCELLED', async () => {
  const instance = new Instance(await graph, { key: 1 });
  instance.fail('t');
  expect(statusOf(instance.live)).toBe('FAILED');
  instance.apply({ type: 'cancel' });
  expect(instance.state).toMatchObject({
    phase: 'CANCELLED',
    elements: {},
    timers: {},
    subscriptions: {},
    incidents: [],
  });
  expect(statusOf(instance.live)).toBe('CANCELLED');
  expect(instance.effects.at(-1)).toEqual({ type: 'finished', outcome: { type: 'cancelled' } });
});

it('a loop that would never end stops with an incident, and can be cancelled', async () => {
  const endless = await accepted(
    file([
      start('s'),
      gateway('exclusive', 'm'),
      script('x', 'n', '=n + 1'),
      gateway('exclusive', 'd', 'e'),
      end('e'),
      chain('s', 'm', 'x', 'd', 'e'),
      flow('d', 'm', '=n > 0'),
    ]),
  );
  const instance = new Instance(endless, { n: 0 });
  expect(instance.state.incidents).toMatchObject([
    { type: 'TRANSITION_LIMIT', error: { errorCode: 'WORKFLOW_ERROR' } },
  ]);
  instance.apply({ type: 'setVariables', variables: { n: -5000 } });
  instance.apply({ type: 'resolveIncident', incident: instance.state.incidents[0]?.incident ?? -1 });
  expect(instance.state.phase).toBe('COMPLETED');
});
