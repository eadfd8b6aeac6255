import { describe, expect, it } from 'vitest';
import { accepted, Instance } from '../testing/instance.ts';
import { chain, end, file, flow, gateway, script, service, start, subProcess, task } from '../testing/xml.ts';
import type { Variables } from '../types.ts';
import { resultOf } from './status.ts';
import { variablesAt } from './variables.ts';

const oneService = (given: Parameters<typeof service>[1]) =>
  accepted(file([start('s'), service('t', given), service('next'), chain('s', 't', 'next')]));

describe('input mappings', () => {
  it('become the input of the service and local variables', async () => {
    const instance = new Instance(await oneService({ in: { data: '=graph', 'params.shots': '=2 * n' } }), {
      graph: [1],
      n: 5,
    });
    expect(instance.input('t')).toEqual({ data: [1], params: { shots: 10 } });
    expect(instance.variables).toEqual({ graph: [1], n: 5 });
  });

  it('see the targets of those before them', async () => {
    const instance = new Instance(await oneService({ in: { a: '=1', b: '=a + 1' } }));
    expect(instance.input('t')).toEqual({ a: 1, b: 2 });
  });

  it('give null for what is missing', async () => {
    expect(new Instance(await oneService({ in: { a: '=nowhere.to.be.found' } })).input('t')).toEqual({ a: null });
  });

  it('take a text without "=" as it is', async () => {
    expect(new Instance(await oneService({ in: { a: 'n' } }), { n: 1 }).input('t')).toEqual({ a: 'n' });
  });

  it('are the whole input: what is not mapped is not sent', async () => {
    expect(new Instance(await oneService({}), { private: 1 }).input('t')).toEqual({});
  });

  it('replace a variable of the same name locally', async () => {
    const instance = new Instance(await oneService({ in: { 'a.b': '=1' } }), { a: { c: 2 } });
    expect(instance.input('t')).toEqual({ a: { b: 1 } });
    expect(variablesAt(instance.live, instance.key('t'))).toEqual({ a: { b: 1 } });
    expect(instance.variables).toEqual({ a: { c: 2 } });
  });
});

describe('results', () => {
  it('without output mappings become variables of the process', async () => {
    const instance = new Instance(await oneService({}), { counts: 0 });
    instance.succeed('t', { counts: 1, extra: 2 });
    expect(instance.variables).toEqual({ counts: 1, extra: 2 });
  });

  it('that are no object are called result', async () => {
    const instance = new Instance(await oneService({}));
    instance.succeed('t', [1, 2]);
    expect(instance.variables).toEqual({ result: [1, 2] });
  });

  it('with output mappings give only their targets', async () => {
    const instance = new Instance(await oneService({ out: { best: '=counts.a', 'all.counts': '=counts' } }), {
      all: { kept: true },
    });
    instance.succeed('t', { counts: { a: 1 }, extra: 2 });
    expect(instance.variables).toEqual({ best: 1, all: { kept: true, counts: { a: 1 } } });
  });

  it('stay local where an input mapping has made a variable of the same name', async () => {
    const instance = new Instance(await oneService({ in: { counts: '=0' } }), { counts: 9 });
    instance.succeed('t', { counts: 1 });
    expect(instance.variables).toEqual({ counts: 9 });
  });

  it('go to the nearest scope that has the variable', async () => {
    const graph = await accepted(
      file([
        start('s'),
        subProcess('sub', [start('ss'), service('t'), service('u'), chain('ss', 't', 'u')], { in: { n: '=0' } }),
        chain('s', 'sub'),
      ]),
    );
    const instance = new Instance(graph, { n: 5 });
    instance.succeed('t', { n: 1, m: 2 });
    expect(variablesAt(instance.live, instance.key('u'))).toEqual({ n: 1, m: 2 });
    expect(instance.variables).toEqual({ n: 5, m: 2 });
  });

  it('of a sub-process leave it by its output mappings', async () => {
    const graph = await accepted(
      file([
        start('s'),
        subProcess('sub', [start('ss'), script('x', 'n', '=7'), end('se'), chain('ss', 'x', 'se')], {
          in: { n: '=0' },
          out: { m: '=n' },
        }),
        service('t'),
        chain('s', 'sub', 't'),
      ]),
    );
    expect(new Instance(graph).variables).toEqual({ m: 7 });
  });
});

describe('names that JavaScript knows', () => {
  it('are variables like others', async () => {
    const instance = new Instance(await oneService({ in: { a: '=constructor', b: '=toString' } }), { constructor: 1 });
    expect(instance.input('t')).toEqual({ a: 1, b: null });
  });

  it('do not reach a prototype in results', async () => {
    const instance = new Instance(await oneService({ out: { a: '=x' } }));
    instance.succeed('t', JSON.parse('{"__proto__": {"polluted": true}, "x": 1}') as Record<string, never>);
    expect(instance.variables).toEqual({ a: 1 });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('mappings that fail', () => {
  it('hold the element with an incident until they are mended', async () => {
    const instance = new Instance(await oneService({ in: { data: '=assert(graph, graph != null)' } }));
    expect(instance.state.incidents).toMatchObject([
      { type: 'IO_MAPPING_ERROR', elementId: 't', error: { errorCode: 'WORKFLOW_ERROR', failedElement: 't' } },
    ]);
    expect(instance.state.incidents[0]?.error.message).not.toBe('');
    instance.apply({ type: 'setVariables', variables: { graph: [1] } });
    instance.retry('t');
    expect(instance.input('t')).toEqual({ data: [1] });
    expect(instance.state.incidents).toEqual([]);
  });

  it('do not run what went before them again', async () => {
    const instance = new Instance(await oneService({ out: { n: '=n + 1', m: '=assert(ready, ready != null)' } }), {
      n: 0,
    });
    instance.succeed('t', {});
    expect(instance.variables).toEqual({ n: 0 });
    instance.apply({ type: 'setVariables', variables: { ready: true } });
    instance.retry('t');
    expect(instance.variables).toMatchObject({ n: 1, m: true });
  });
});

describe('variables that are corrected at an element', () => {
  const correct = (instance: Instance, elementId: string, variables: Variables) => {
    const scope = instance.state.incidents.find((each) => each.elementId === elementId)?.element ?? -1;
    instance.apply({ type: 'setVariables', scope, variables });
    instance.retry(elementId);
    expect(instance.rebuilt()).toEqual(instance.state);
  };

  it('of the process are so for what comes behind it as well', async () => {
    const graph = await accepted(
      file([
        start('s'),
        gateway('exclusive', 'd', 'other'),
        service('t', { in: { data: '=x' } }),
        end('e', { x: '=x', more: '=more' }),
        end('other'),
        chain('s', 'd'),
        flow('d', 't', '=x > 1'),
        chain('d', 'other'),
        chain('t', 'e'),
      ]),
    );
    const instance = new Instance(graph, { x: 'a' });
    expect(instance.state.incidents).toMatchObject([{ elementId: 'd' }]);
    correct(instance, 'd', { x: 5, more: 6 });
    expect(instance.input('t')).toEqual({ data: 5 });
    instance.succeed('t');
    expect(resultOf(instance.live)).toEqual({ x: 5, more: 6 });
  });

  it('are the mapped inputs of that name, and not what these were made of', async () => {
    const instance = new Instance(await oneService({ in: { data: '=x' } }), { x: 1, data: 'of the process' });
    instance.fail('t');
    correct(instance, 't', { x: 2, data: 3 });
    expect(instance.input('t')).toEqual({ data: 3 });
    expect(instance.variables).toEqual({ x: 2, data: 'of the process' });
  });

  it('are those of the nearest scope', async () => {
    const inner = [start('ss'), script('t', 'done', '=assert(n, n > 0)'), service('u'), chain('ss', 't', 'u')];
    const graph = await accepted(file([start('s'), subProcess('sub', inner, { in: { n: '=0' } }), chain('s', 'sub')]));
    const instance = new Instance(graph, { n: -1 });
    correct(instance, 't', { n: 7, new: 8 });
    expect(variablesAt(instance.live, instance.key('u'))).toMatchObject({ n: 7, done: 7, new: 8 });
    expect(instance.variables).toEqual({ n: -1, done: 7, new: 8 });
  });
});

it('scripts and plain tasks assign variables', async () => {
  const graph = await accepted(
    file([
      start('s'),
      script('x', 'n', '=a + 1'),
      task('y', { out: { m: '=n * 2' } }),
      service('t'),
      chain('s', 'x', 'y', 't'),
    ]),
  );
  expect(new Instance(graph, { a: 1 }).variables).toEqual({ a: 1, n: 2, m: 4 });
});

it('uuid is another one each time, and the same when a step is done again', async () => {
  const graph = await accepted(
    file([
      start('s'),
      script('x', 'a', '=uuid()'),
      script('y', 'b', '=uuid()'),
      service('t'),
      chain('s', 'x', 'y', 't'),
    ]),
  );
  const [first, again, other] = ['one', 'one', 'two'].map((seed) => new Instance(graph, {}, { seed }).variables);
  expect(first?.['a']).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(first?.['b']).not.toBe(first?.['a']);
  expect(again).toEqual(first);
  expect(other?.['a']).not.toBe(first?.['a']);
});
