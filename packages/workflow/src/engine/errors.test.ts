import { describe, expect, it } from 'vitest';
import { accepted, Instance } from '../testing/instance.ts';
import {
  boundary,
  call,
  chain,
  end,
  error,
  errorEnd,
  eventSubProcess,
  file,
  gateway,
  process,
  service,
  start,
  subProcess,
  timer,
} from '../testing/xml.ts';

const errors = ['SERVICE_FAILED', 'OWN', 'OTHER'];
const caughtIn = (instance: Instance) =>
  instance.journal.flatMap((entry) => (entry.type === 'errorCaught' ? [entry.elementId] : []));

describe('who catches an error', () => {
  const nested = (catchers: { inner?: string[]; sub?: string[]; process?: string[] }) => {
    const at = (host: string, codes: string[] = []) =>
      codes.flatMap((code, index) => {
        const [id, last] = [`${host}_${code || 'all'}`, `${host}_end${index}`];
        return [boundary(id, host, error(code || undefined)), end(last), chain(id, last)];
      });
    const event = (codes: string[] = []) =>
      codes.map((code, index) => {
        const [id, last] = [`process_${code || 'all'}`, `process_end${index}`];
        return eventSubProcess(`esp${index}`, [start(id, error(code || undefined)), end(last), chain(id, last)]);
      });
    return accepted(
      file(
        [
          start('s'),
          subProcess('sub', [start('ss'), service('t'), ...at('t', catchers.inner), chain('ss', 't')]),
          ...at('sub', catchers.sub),
          ...event(catchers.process),
          chain('s', 'sub'),
        ],
        { errors },
      ),
    );
  };

  it.each([
    ['the nearest', { inner: ['SERVICE_FAILED'], sub: ['SERVICE_FAILED'] }, 't_SERVICE_FAILED'],
    ['the code itself before all codes', { inner: ['', 'SERVICE_FAILED'] }, 't_SERVICE_FAILED'],
    ['all codes near before the code far away', { inner: [''], sub: ['SERVICE_FAILED'] }, 't_all'],
    ['nobody with another code', { inner: ['OWN'], sub: ['SERVICE_FAILED'] }, 'sub_SERVICE_FAILED'],
    [
      'an event sub-process of the process',
      { inner: ['OWN'], sub: ['OTHER'], process: ['SERVICE_FAILED', ''] },
      'process_SERVICE_FAILED',
    ],
  ])('%s', async (_, catchers, expected) => {
    const instance = new Instance(await nested(catchers));
    instance.fail('t');
    expect(caughtIn(instance)).toEqual([expected]);
    expect(instance.state.phase).toBe('COMPLETED');
  });

  it('nobody: an incident, and other branches go on', async () => {
    const instance = new Instance(await nested({ inner: ['OWN'] }));
    instance.fail('t');
    expect(instance.state.incidents).toMatchObject([{ type: 'SERVICE_FAILED', elementId: 't' }]);
    expect(instance.active).toEqual(['sub', 't']);
  });
});

it('an error inside an event sub-process is not caught by itself again', async () => {
  const graph = await accepted(
    file(
      [
        start('s'),
        service('t'),
        chain('s', 't'),
        eventSubProcess('esp', [start('es', error('SERVICE_FAILED')), service('u'), chain('es', 'u')]),
      ],
      { errors },
    ),
  );
  const instance = new Instance(graph);
  instance.fail('t');
  instance.fail('u');
  expect(instance.state.incidents).toMatchObject([{ elementId: 'u' }]);
});

it('an error end event ends its sub-process where it is caught, and does not complete', async () => {
  const graph = await accepted(
    file(
      [
        start('s'),
        subProcess('sub', [
          start('ss'),
          gateway('parallel', 'p'),
          service('other'),
          errorEnd('broken', 'OWN', '="n is " + string(n)'),
          chain('ss', 'p', 'other'),
          chain('p', 'broken'),
        ]),
        boundary('b', 'sub', error('OWN')),
        service('after'),
        chain('s', 'sub'),
        chain('b', 'after'),
      ],
      { errors },
    ),
  );
  const instance = new Instance(graph, { n: 3 });
  expect(instance.active).toEqual(['after']);
  expect(instance.variables).toMatchObject({
    sub_serviceError: { errorCode: 'OWN', failedElement: 'broken', message: 'n is 3' },
  });
  expect(instance.completed).not.toContain('broken');
});

it('a failed service is called again when its incident is retried', async () => {
  const graph = await accepted(
    file([start('s'), service('t', { in: { data: '=n' } }), end('e'), chain('s', 't', 'e')]),
  );
  const instance = new Instance(graph, { n: 1 });
  const first = instance.job('t');
  instance.fail('t');
  instance.retry('t');
  expect(instance.input('t')).toEqual({ data: 1 });
  expect(instance.job('t')).not.toBe(first);
  instance.succeed('t');
  expect(instance.state).toMatchObject({ phase: 'COMPLETED', incidents: [] });
});

describe('call activities', () => {
  const graph = (caller: string[], given: Parameters<typeof call>[2] = {}) =>
    accepted(
      file([start('s'), call('c', 'called', given), service('after'), chain('s', 'c', 'after'), ...caller], {
        errors,
        processes: [
          process('called', [start('cs'), service('t'), errorEnd('broken', 'OWN', '="x"'), chain('cs', 't', 'broken')]),
        ],
      }),
    );

  it('start an instance with the variables they see, or with their own', async () => {
    const instance = new Instance(await graph([], { in: { a: '=n' } }), { n: 1 }, { secrets: ['token'] });
    expect(instance.effects).toMatchObject([
      {
        type: 'startChild',
        elementId: 'c',
        processId: 'called',
        variables: { n: 1, a: 1 },
        secrets: ['token'],
        caughtOutside: [],
      },
    ]);
  });

  it.each([
    ['take over nothing', {}, {}],
    ['take over everything where that is asked for', { propagate: true }, { x: 1, y: 2 }],
    ['take over what is mapped', { out: { z: '=x + y' } }, { z: 3 }],
  ])('%s', async (_, given, variables) => {
    const instance = new Instance(await graph([], given));
    instance.endChild('c', { type: 'completed', result: {}, variables: { x: 1, y: 2 } });
    expect(instance.variables).toEqual(variables);
    expect(instance.active).toEqual(['after']);
  });

  it('say which errors are caught around them, and throw those of the called process', async () => {
    const callers = await graph([boundary('b', 'c', error('OWN')), service('mend'), chain('b', 'mend')]);
    const parent = new Instance(callers);
    expect(parent.effects).toMatchObject([{ caughtOutside: ['OWN'] }]);
    const child = new Instance(callers, {}, { processId: 'called', caughtOutside: ['OWN'] });
    child.succeed('t');
    expect(child.state.phase).toBe('ERROR');
    const [finished] = child.effects;
    if (finished?.type !== 'finished') throw new Error('not finished');
    parent.endChild('c', finished.outcome);
    expect(parent.active).toEqual(['mend']);
    expect(parent.variables).toMatchObject({
      c_serviceError: { errorCode: 'OWN', failedElement: 'broken', message: 'x' },
    });
  });

  it('leave an error that nobody catches as an incident of the called process', async () => {
    const child = new Instance(await graph([]), {}, { processId: 'called', caughtOutside: ['OTHER'] });
    child.succeed('t');
    expect(child.state.incidents).toMatchObject([{ type: 'UNHANDLED_ERROR_EVENT', elementId: 'broken' }]);
  });

  it('are an incident when the process cannot be started, and start it again', async () => {
    const instance = new Instance(await graph([]));
    instance.endChild('c', { type: 'notStarted', message: 'There is no process called.' });
    expect(instance.state.incidents).toMatchObject([{ type: 'CALLED_ELEMENT_ERROR', elementId: 'c' }]);
    instance.retry('c');
    expect(instance.effects).toMatchObject([{ type: 'startChild' }, { type: 'incidentsChanged', errors: [] }]);
  });

  it('are an incident when an expression gives no process that can be called, and call another one once it is mended', async () => {
    const computed = await accepted(
      file([start('s'), call('c', '=which'), end('e'), chain('s', 'c', 'e')], {
        processes: [
          process('called', [start('cs')]),
          process('timed', [start('ts', timer('cycle', 'R/PT1H'))]),
          '<process id="picture"/>',
        ],
      }),
    );
    const messages = ['picture', 'timed'].map((which) => {
      const instance = new Instance(computed, { which });
      expect(instance.effects).toMatchObject([{ type: 'incidentsChanged' }]);
      expect(instance.state.incidents).toMatchObject([{ type: 'CALLED_ELEMENT_ERROR', elementId: 'c' }]);
      instance.apply({ type: 'setVariables', variables: { which: 'called' } });
      instance.retry('c');
      expect(instance.effects).toMatchObject([{ type: 'startChild', processId: 'called' }, {}]);
      expect(instance.rebuilt()).toEqual(instance.state);
      return instance.journal.flatMap((entry) => (entry.type === 'incident' ? [entry.incident.error.message] : []));
    });
    expect(messages.flat()).toEqual([
      'The file has no executable process picture. A call activity can call one of these: process, called.',
      'The process timed has no plain start event, with which a call begins. A call activity can call one of these: process, called.',
    ]);
  });

  it('cancel the called instance when they are ended', async () => {
    const instance = new Instance(await graph([]));
    expect(instance.apply({ type: 'cancel' }).effects.map(({ type }) => type)).toEqual(['cancelChild', 'finished']);
  });
});
