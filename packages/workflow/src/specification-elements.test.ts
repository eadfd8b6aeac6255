import { describe, expect, it } from 'vitest';
import { compile, scopeOf, toJson } from '@kethub/feel';
import { resultOf, statusOf } from './engine/status.ts';
import { requirements } from './requirements.ts';
import { accepted, Instance, refusals } from './testing/instance.ts';
import {
  boundary,
  catchEvent,
  chain,
  end,
  error,
  errorEnd,
  file,
  flow,
  gateway,
  message,
  script,
  service,
  serviceId,
  start,
  timer,
} from './testing/xml.ts';

// The tables and the lists of the specification that say what a workflow is made of, quoted.

describe('Modelling elements', () => {
  it('Start Event: Entry point. Carries the Request Schema (JSON Schema) in its API Description.', async () => {
    const schema = { type: 'object', required: ['n'] };
    const given = { extensions: `<kethub:requestSchema>${JSON.stringify(schema)}</kethub:requestSchema>` };
    const graph = await accepted(file([start('s', '', given), end('e'), chain('s', 'e')]));
    expect(requirements(graph)).toMatchObject({ startEvent: 's', requestSchema: schema });
  });

  it('End Event: Completion. Its output mappings define the response fields.', async () => {
    const graph = await accepted(file([start('s'), end('e', { answer: '=n * 2' }), chain('s', 'e')]));
    expect(requirements(graph).outputs).toEqual([{ elementId: 'e', name: 'answer' }]);
    const { live: state } = new Instance(graph, { n: 2, other: 1 });
    expect([statusOf(state), resultOf(state)]).toEqual(['SUCCEEDED', { answer: 4 }]);
  });

  it('Platform Service Task: Calls a subscribed platform service with input and output mappings.', async () => {
    const graph = await accepted(
      file([
        start('s'),
        service('t', { in: { data: '=n' }, out: { cut: '=best' } }),
        end('e', { cut: '=cut', n: '=data' }),
        chain('s', 't', 'e'),
      ]),
    );
    const instance = new Instance(graph, { n: 2 });
    expect(instance.effects).toMatchObject([{ type: 'startJob', service: { serviceId }, input: { data: 2 } }]);
    instance.succeed('t', { best: 7, more: 8 });
    expect(resultOf(instance.live)).toEqual({ cut: 7, n: null });
  });

  it('Parallel Gateway: Splits into simultaneous branches and joins them.', async () => {
    const graph = await accepted(
      file([
        start('s'),
        gateway('parallel', 'p'),
        service('a'),
        service('b'),
        gateway('parallel', 'j'),
        end('e'),
        chain('s', 'p', 'a', 'j', 'e'),
        chain('p', 'b', 'j'),
      ]),
    );
    const instance = new Instance(graph);
    expect(instance.active.toSorted()).toEqual(['a', 'b']);
    instance.succeed('b');
    expect([instance.active, statusOf(instance.live)]).toEqual([['a'], 'RUNNING']);
    instance.succeed('a');
    expect(statusOf(instance.live)).toBe('SUCCEEDED');
  });

  it.each([
    [5, 'many'],
    [1, 'few'],
  ])('Exclusive Gateway: Picks one path by FEEL condition on the outgoing flows. (%i: %s)', async (n, answer) => {
    const graph = await accepted(
      file([
        start('s'),
        gateway('exclusive', 'x', 'few'),
        end('many', { answer: '="many"' }),
        end('also', { answer: '="also"' }),
        end('few', { answer: '="few"' }),
        chain('s', 'x', 'few'),
        flow('x', 'many', '=n > 3'),
        flow('x', 'also', '=n > 2'),
      ]),
    );
    expect(resultOf(new Instance(graph, { n }).live)).toEqual({ answer });
  });

  it('Boundary Error Event: Catches SERVICE_FAILED on a service task.', async () => {
    const graph = await accepted(
      file(
        [
          start('s'),
          service('t'),
          boundary('b', 't', error('SERVICE_FAILED')),
          end('e', { why: '=t_serviceError.message' }),
          chain('s', 't'),
          chain('b', 'e'),
        ],
        { errors: ['SERVICE_FAILED'] },
      ),
    );
    const instance = new Instance(graph);
    instance.fail('t', { detail: 'no luck' });
    expect(resultOf(instance.live)).toEqual({ why: 'no luck' });
  });

  it('Error End Event: Throws an own error.', async () => {
    const graph = await accepted(
      file([start('s'), errorEnd('e', 'OWN', '="because"'), chain('s', 'e')], { errors: ['OWN'] }),
    );
    expect(resultOf(new Instance(graph).live)).toEqual({
      errors: [{ errorCode: 'OWN', failedElement: 'e', message: 'because' }],
    });
  });

  it('Timer and message events: Scheduled or externally triggered execution', async () => {
    const graph = await accepted(
      file(
        [
          start('daily', timer('cycle', 'R/PT24H')),
          start('called', message('begin')),
          catchEvent('later', timer('duration', 'PT1H')),
          catchEvent('told', message('go')),
          end('e', { who: '=who' }),
          chain('daily', 'later', 'told', 'e'),
          chain('called', 'told'),
        ],
        { messages: { begin: null, go: '="key"' } },
      ),
    );
    expect(requirements(graph)).toMatchObject({
      timerStarts: [{ elementId: 'daily' }],
      messageStarts: [{ elementId: 'called', messageName: 'begin' }],
      messages: [{ elementId: 'told', messageName: 'go' }],
    });
    const scheduled = new Instance(graph, {}, { startEvent: 'daily' });
    const [timed] = scheduled.effects;
    expect(timed).toMatchObject({ type: 'setTimer', elementId: 'later', due: scheduled.now + 3_600_000 });
    const triggered = new Instance(graph, { who: 'Ada' }, { startEvent: 'called' });
    const [opened] = triggered.effects;
    if (opened?.type !== 'openSubscription') throw new Error('It waits for no message');
    triggered.apply({ type: 'messageCorrelated', subscription: opened.subscription, variables: {} });
    expect(resultOf(triggered.live)).toEqual({ who: 'Ada' });
  });

  it.each([[false], [true]])(
    'Multi-instance: Loop over an array, parallel or sequential, with an input collection and an element variable (sequential: %s)',
    async (sequential) => {
      const loop = { over: '=graphs', as: 'graph', into: 'cuts', collect: '=cut', sequential };
      const graph = await accepted(
        file([
          start('s'),
          service('t', { in: { data: '=graph' }, loop }),
          end('e', { cuts: '=cuts' }),
          chain('s', 't', 'e'),
        ]),
      );
      const instance = new Instance(graph, { graphs: ['a', 'b'] });
      expect(instance.effects.filter(({ type }) => type === 'startJob')).toHaveLength(sequential ? 1 : 2);
      instance.succeed('t', { cut: 1 });
      instance.succeed('t', { cut: 2 });
      expect(resultOf(instance.live)).toEqual({ cuts: [1, 2] });
    },
  );
});

describe('States and transitions', () => {
  const branches = (after: readonly string[]) =>
    accepted(
      file(
        [
          start('s'),
          gateway('parallel', 'p'),
          service('a'),
          service('b'),
          boundary('c', 'b', error('SERVICE_FAILED')),
          end('e', { failed: '=b_serviceError.errorCode' }),
          chain('s', 'p', 'a', 'e'),
          chain('p', 'b', 'e'),
          chain('c', 'e'),
          ...after,
        ],
        { errors: ['SERVICE_FAILED'] },
      ),
    );

  it('A workflow execution ends as SUCCEEDED, FAILED or CANCELLED. It is reported as FAILED whenever an incident is open, even while other parallel branches still run.', async () => {
    const failed = new Instance(await branches([]));
    expect(statusOf(failed.live)).toBe('RUNNING');
    failed.fail('a');
    expect([statusOf(failed.live), failed.active.toSorted()]).toEqual(['FAILED', ['a', 'b']]);
    failed.apply({ type: 'cancel' });
    expect(statusOf(failed.live)).toBe('CANCELLED');
    const fine = new Instance(await branches([]));
    fine.succeed('a');
    fine.succeed('b');
    expect(statusOf(fine.live)).toBe('SUCCEEDED');
  });

  it('A platform service task ends as SUCCEEDED (no BPMN error) or FAILED (raises BPMN error code SERVICE_FAILED).', async () => {
    const instance = new Instance(await branches([]));
    instance.succeed('a');
    instance.fail('b');
    expect([statusOf(instance.live), resultOf(instance.live)]).toEqual(['SUCCEEDED', { failed: 'HUB_SERVICE_FAILED' }]);
  });
});

describe('Data mapping', () => {
  it.each([
    ['variable access', 'n', 3],
    ['object.property', 'graph.nodes', 4],
    ['array[index] (the index of the first element is shown as 1)', 'list[1]', 'a'],
    ['get or else(name, default)', '[get or else(n, 1), get or else(missing, 1)]', [3, 1]],
    ['string(value)', 'string(n) + string(true)', '3true'],
    ['upper case, lower case', 'upper case("a") + lower case("B")', 'Ab'],
    ['count, sum', '[count(list), sum([1, 2.5])]', [2, 3.5]],
    ['now()', 'now() > date and time("2020-01-01T00:00:00Z")', true],
    ['comparisons (>, <, =, !=)', '[n > 2, n < 2, n = 3, n != 3]', [true, false, true, false]],
    ['and, or, not', '[n > 2 and n > 5, n > 2 or n > 5, not(n > 2)]', [false, true, false]],
    ['list and object literals', '{a: [1, n], "b c": {d: null}}', { a: [1, 3], 'b c': { d: null } }],
    ['for-in-return', 'for each in list return each + "!"', ['a!', 'b!']],
  ])('5. FEEL elements shown: … %s', (_, source, expected) => {
    const scope = scopeOf({ n: 3, graph: { nodes: 4 }, list: ['a', 'b'] });
    const now = () => ({ epochMilliseconds: Date.parse('2030-01-01T00:00:00Z'), timeZone: 'Etc/UTC' });
    expect(toJson(compile(source).evaluate(scope, { now }).value)).toEqual(expected);
  });

  it('2. … in that order in the UI: a target without a source, and a source without a target, are refused', async () => {
    const xml = (out: Readonly<Record<string, string>>) => file([start('s'), service('t', { out }), chain('s', 't')]);
    expect(await refusals(xml({ cut: '' }))).toEqual(['MAPPING t']);
    expect(await refusals(xml({ '': '=best' }))).toEqual(['MAPPING t']);
  });
});

describe('Workflow error envelope', () => {
  it('serviceId, applicationId, response: Only for HUB_SERVICE_FAILED', async () => {
    const graph = await accepted(
      file(
        [
          start('s'),
          gateway('parallel', 'p'),
          service('a'),
          script('b', 'x', '=assert(1, false)'),
          errorEnd('c', 'OWN'),
          chain('s', 'p', 'a'),
          chain('p', 'b'),
          chain('p', 'c'),
        ],
        { errors: ['OWN'] },
      ),
    );
    const instance = new Instance(graph);
    instance.fail('a', { title: 'Broken' });
    const { errors } = resultOf(instance.live) as { errors: Record<string, unknown>[] };
    const always = ['errorCode', 'failedElement', 'message'];
    expect(Object.fromEntries(errors.map((one) => [one['errorCode'], Object.keys(one).toSorted()]))).toEqual({
      HUB_SERVICE_FAILED: [...always, 'serviceId', 'applicationId', 'response'].toSorted(),
      WORKFLOW_ERROR: always,
      OWN: always,
    });
  });
});
