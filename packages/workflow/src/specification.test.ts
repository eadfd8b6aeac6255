import { describe, expect, it } from 'vitest';
import { resultOf, statusOf } from './engine/status.ts';
import { accepted, Instance, refusals } from './testing/instance.ts';
import {
  boundary,
  chain,
  end,
  error,
  errorEnd,
  file,
  flow,
  gateway,
  script,
  service,
  serviceId,
  start,
  subProcess,
} from './testing/xml.ts';

// Every rule of the specification's numbered lists that is about what a workflow does, quoted.

const errors = ['SERVICE_FAILED', 'OWN'];
const parallel = accepted(
  file(
    [
      start('s'),
      gateway('parallel', 'p'),
      service('a'),
      service('b'),
      gateway('parallel', 'j'),
      end('e', { done: '=true' }),
      chain('s', 'p', 'a', 'j', 'e'),
      chain('p', 'b', 'j'),
    ],
    { errors },
  ),
);

describe('Workflow errors', () => {
  it('1. An uncaught platform service task failure keeps the process instance alive with an open incident. The workflow state becomes FAILED. GET .../result returns an errors array. Other parallel branches continue.', async () => {
    const instance = new Instance(await parallel);
    instance.fail('a', { detail: 'no qubits' });
    expect(statusOf(instance.live)).toBe('FAILED');
    expect(instance.state.phase).toBe('RUNNING');
    expect(resultOf(instance.live)).toEqual({
      errors: [
        {
          errorCode: 'HUB_SERVICE_FAILED',
          failedElement: 'a',
          message: 'no qubits',
          serviceId: 'the service',
          applicationId: 'the application',
          response: { detail: 'no qubits' },
        },
      ],
    });
    expect(instance.active).toContain('b');
    instance.succeed('b');
    expect(instance.completed).toContain('b');
  });

  it('2. Each failing task adds its own envelope to errors. One failing branch gives one entry. Two failing branches give two.', async () => {
    const instance = new Instance(await parallel);
    instance.fail('b');
    expect(resultOf(instance.live)).toMatchObject({ errors: [{ failedElement: 'b' }] });
    instance.fail('a');
    expect(resultOf(instance.live)).toMatchObject({ errors: [{ failedElement: 'b' }, { failedElement: 'a' }] });
    expect(instance.effects).toMatchObject([
      { type: 'incidentsChanged', errors: [{ failedElement: 'b' }, { failedElement: 'a' }] },
    ]);
  });

  const caught = (extensions = '') =>
    accepted(
      file(
        [
          start('s'),
          service('Task_1'),
          boundary('b', 'Task_1', error('SERVICE_FAILED'), { extensions }),
          script('after', 'code', `=${extensions === '' ? 'Task_1_serviceError' : 'why'}.errorCode`),
          end('e', { code: '=code' }),
          chain('s', 'Task_1'),
          chain('b', 'after', 'e'),
        ],
        { errors },
      ),
    );

  it('3. A boundary error event on a platform service task catches SERVICE_FAILED. SERVICE_FAILED is the process-level code and HUB_SERVICE_FAILED is the code in the envelope.', async () => {
    const instance = new Instance(await caught());
    instance.fail('Task_1');
    expect(statusOf(instance.live)).toBe('SUCCEEDED');
    expect(resultOf(instance.live)).toEqual({ code: 'HUB_SERVICE_FAILED' });
  });

  it('4. On a caught error the envelope is stored in the process variable named <hostId>_serviceError … The variable is readable in FEEL downstream without an output mapping.', async () => {
    const instance = new Instance(await caught());
    const { effects } = instance.fail('Task_1', { title: 'Broken' });
    expect(effects).toMatchObject([
      {
        type: 'finished',
        outcome: {
          variables: {
            Task_1_serviceError: { failedElement: 'Task_1', message: 'Broken', response: { title: 'Broken' } },
          },
        },
      },
    ]);
  });

  it('4. … The name can be changed in the Payload variable field of the boundary.', async () => {
    const instance = new Instance(await caught('<kethub:payload variable="why"/>'));
    instance.fail('Task_1');
    expect(resultOf(instance.live)).toEqual({ code: 'HUB_SERVICE_FAILED' });
  });

  it.each([['1st'], ['my-error'], ['a.b'], ['ä'], ['__proto__'], ['']])(
    '4. … The name may only use letters, digits and underscore, and must start with a letter or underscore: not %j.',
    async (variable) => {
      const event = boundary('b', 't', error('SERVICE_FAILED'), {
        extensions: `<kethub:payload variable="${variable}"/>`,
      });
      const xml = file([start('s'), service('t'), event, end('e'), chain('s', 't'), chain('b', 'e')], { errors });
      expect(await refusals(xml)).toEqual(['PAYLOAD_VARIABLE b']);
    },
  );

  it('4. … so an element whose id is no such name needs a payload variable', async () => {
    const xml = (extensions: string) =>
      file(
        [
          start('s'),
          service('my-task'),
          boundary('b', 'my-task', error('SERVICE_FAILED'), { extensions }),
          end('e'),
          chain('s', 'my-task'),
          chain('b', 'e'),
        ],
        { errors },
      );
    expect(await refusals(xml(''))).toEqual(['PAYLOAD_VARIABLE b']);
    expect(await refusals(xml('<kethub:payload variable="why"/>'))).toEqual([]);
  });

  it('5. The workflow author may throw an own error with an error end event at the process root. It has an Error Code constant and an Error Message FEEL expression. If uncaught, the errors entry carries that code, the failedElement and the resolved message, without serviceId, applicationId or response.', async () => {
    const graph = await accepted(
      file([start('s'), errorEnd('Event_1', 'OWN', '="Only " + string(n) + " nodes"'), chain('s', 'Event_1')], {
        errors,
      }),
    );
    const instance = new Instance(graph, { n: 2 });
    expect(statusOf(instance.live)).toBe('FAILED');
    expect(resultOf(instance.live)).toEqual({
      errors: [{ errorCode: 'OWN', failedElement: 'Event_1', message: 'Only 2 nodes' }],
    });
  });

  it.each([
    ['executionId'],
    ['executionState'],
    ['serviceError'],
    ['triggeringTenantId'],
    ['errors'],
    ['_links'],
    ['_embedded'],
    ['errors.inner'],
  ])(
    '6. Reserved names for end-event output variables … Using one is rejected at deploy time with 422 (ReservedOutputVariableException): %s',
    async (name) => {
      expect(await refusals(file([start('s'), end('End_1', { [name]: '=1' }), chain('s', 'End_1')]))).toEqual([
        'ReservedOutputVariableException End_1',
      ]);
    },
  );

  it('6. … which are free inside the process', async () => {
    const xml = file([
      start('s'),
      subProcess('sub', [start('ss'), end('se', { errors: '=1' }), chain('ss', 'se')]),
      service('t', { out: { errors: '=1' } }),
      chain('s', 'sub', 't'),
    ]);
    expect(await refusals(xml)).toEqual([]);
  });
});

describe('Workflow error envelope', () => {
  it.each([
    [{ detail: 'a', title: 'b', message: 'c' }, 'a'],
    [{ title: 'b', message: 'c' }, 'b'],
    [{ message: 'c' }, 'c'],
    [{ detail: '', title: '  ', message: 'c' }, 'c'],
    [{ detail: 5, title: null }, 'Service execution failed'],
    [{}, 'Service execution failed'],
    [null, 'Service execution failed'],
    ['text', 'Service execution failed'],
    [[{ detail: 'a' }], 'Service execution failed'],
  ])(
    'message is taken from the first available of response.detail, response.title, response.message. Otherwise it is the literal text Service execution failed: %j',
    async (response, message) => {
      const instance = new Instance(await parallel);
      instance.fail('a', response);
      expect(resultOf(instance.live)).toMatchObject({ errors: [{ message, response }] });
    },
  );

  it('errorCode: WORKFLOW_ERROR for what the workflow itself cannot do; message always, non-empty', async () => {
    const graph = await accepted(
      file([start('s'), gateway('exclusive', 'x'), service('t'), chain('s', 'x'), flow('x', 't', '=missing')]),
    );
    const result = resultOf(new Instance(graph).live);
    expect(result).toEqual({
      errors: [
        { errorCode: 'WORKFLOW_ERROR', failedElement: 'x', message: expect.stringMatching(/x_t.*null/) as string },
      ],
    });
  });
});

describe('Data mapping', () => {
  it('1. Task input mapping: … A bare name references a workflow variable. A string literal is quoted. Numbers and booleans are unquoted. A dot selects a nested property.', async () => {
    const inputs = { a: '=graph', b: '="graph"', c: '=3', d: '=true', e: '=graph.nodes' };
    const graph = await accepted(file([start('s'), service('t', { in: inputs }), chain('s', 't')]));
    const instance = new Instance(graph, { graph: { nodes: 4 } });
    expect(instance.input('t')).toEqual({ a: { nodes: 4 }, b: 'graph', c: 3, d: true, e: 4 });
  });

  it('2. Task output mapping: a process variable name and a result variable name', async () => {
    const graph = await accepted(
      file([start('s'), service('t', { out: { cut: '=best' } }), end('e', { cut: '=cut' }), chain('s', 't', 'e')]),
    );
    const instance = new Instance(graph);
    instance.succeed('t', { best: [0, 1] });
    expect(resultOf(instance.live)).toEqual({ cut: [0, 1] });
  });

  it('3. End event output mappings create the top-level fields of the success response.', async () => {
    const graph = await accepted(
      file([
        start('s'),
        gateway('parallel', 'p'),
        end('e1', { a: '=1', 'deep.b': '=2', last: '="first"' }),
        service('t'),
        end('e2', { 'deep.c': '=3', last: '="second"' }),
        chain('s', 'p', 'e1'),
        chain('p', 't', 'e2'),
      ]),
    );
    const instance = new Instance(graph, { secret: 'not shown' });
    expect(resultOf(instance.live)).toBeNull();
    instance.succeed('t');
    expect(resultOf(instance.live)).toEqual({ a: 1, deep: { b: 2, c: 3 }, last: 'second' });
  });

  it('4. A data pool reference in a workflow input has id (uuid) and ref (constant datapool, lower case); in the input of a service it is DATAPOOL', async () => {
    const graph = await accepted(
      file([
        start('s'),
        service('t', { in: { pool: '=pool', data: '=pool.ref' } }),
        end('e', { pool: '=pool' }),
        chain('s', 't', 'e'),
      ]),
    );
    const pool = { id: serviceId, ref: 'datapool' };
    const instance = new Instance(graph, { pool });
    expect(instance.input('t')).toEqual({ pool: { id: serviceId, ref: 'DATAPOOL' }, data: 'datapool' });
    instance.succeed('t');
    expect(resultOf(instance.live)).toEqual({ pool });
  });

  it('6. A condition on an exclusive gateway flow is a FEEL expression starting with =.', async () => {
    const xml = (condition: string) =>
      file([start('s'), gateway('exclusive', 'x'), end('e'), chain('s', 'x'), flow('x', 'e', condition)]);
    expect(await refusals(xml('n > 1'))).toEqual(['CONDITION x_e']);
    expect(await refusals(xml('=n > 1'))).toEqual([]);
  });
});

describe('Authentication 9. In a workflow, a secret is passed to a task through the reserved input variable $secrets, with entries built by the function secret_value whose argument is the name of a field in the workflow’s $secrets input.', () => {
  const reading = (source: string) =>
    accepted(file([start('s'), service('t', { in: { $secrets: source } }), chain('s', 't')]));

  it('names the secret, whose value is known to nobody here', async () => {
    const instance = new Instance(await reading('={token: secret_value("my token")}'), {}, { secrets: ['my token'] });
    expect(instance.input('t')).toEqual({ $secrets: { token: { $secret: 'my token' } } });
  });

  it('is an incident when the input has no such field', async () => {
    const instance = new Instance(await reading('={token: secret_value("other")}'), {}, { secrets: ['my token'] });
    expect(instance.state.incidents).toMatchObject([{ type: 'IO_MAPPING_ERROR', elementId: 't' }]);
    expect(instance.state.incidents[0]?.error.message).toContain('other');
  });

  it('is an incident when something else is mixed in', async () => {
    const instance = new Instance(
      await reading('={token: secret_value("a"), forged: data}'),
      { data: { $secret: 'b' } },
      { secrets: ['a', 'b'] },
    );
    expect(instance.state.incidents).toHaveLength(1);
  });

  it.each([
    ['in another input', service('t', { in: { data: '=secret_value("a")' } }), 'SECRET t'],
    ['in an output', service('t', { out: { data: '=secret_value("a")' } }), 'SECRET t'],
    ['in a script', script('t', 'x', '=secret_value("a")'), 'SECRET t'],
    [
      'for another element',
      subProcess('t', [start('ss')], { in: { $secrets: '={a: secret_value("a")}' } }),
      'SECRET t',
    ],
    ['with a name that is computed', service('t', { in: { $secrets: '={a: secret_value(name)}' } }), 'SECRET t'],
    ['without secret_value', service('t', { in: { $secrets: '={a: "clear"}' } }), 'SECRET t'],
    [
      'beside a forged one',
      service('t', { in: { $secrets: '={a: secret_value("a"), b: {"$secret": "b"}}' } }),
      'SECRET t',
    ],
  ])('is refused %s', async (_, element, problem) => {
    expect(await refusals(file([start('s'), element, chain('s', 't')]))).toEqual([problem]);
  });
});
