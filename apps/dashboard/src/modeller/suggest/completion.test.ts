import { expect, test } from 'vitest';
import type { Moddle } from '../kit/types.ts';
import { suggestionsAt } from './completion.ts';
import { joined, membersOfSchema, membersOfValue, resultMembers, sampleOf, type Member } from './members.ts';
import { memberAt, variablesFor } from './variables.ts';

const VARIABLES: readonly Member[] = [
  {
    name: 'graph',
    type: 'object',
    members: [{ name: 'nodes', type: 'array', members: [{ name: 'id', type: 'string', members: [] }] }],
  },
  { name: 'shots', type: 'integer', members: [] },
  { name: 'read out', type: '', members: [] },
];
const FUNCTIONS = [
  { name: 'get or else', parameters: ['value', 'default'] },
  { name: 'get value', parameters: ['context', 'key'] },
  { name: 'sum', parameters: ['list'] },
  { name: 'today', parameters: [] },
];

const labels = (marked: string, isAsked = false): readonly string[] =>
  suggestionsAt(marked.replace('|', ''), marked.indexOf('|'), VARIABLES, FUNCTIONS, isAsked).map(({ label }) => label);

test.each([
  ['=|', ['graph', 'shots', 'read out']],
  ['=gr|', ['graph']],
  ['=s|', ['shots', 'sum()']],
  ['=S|', ['shots', 'sum()']],
  ['=graph.|', ['nodes']],
  ['={n: graph.nodes.i|', ['id']],
  ['=get o|', ['get or else()']],
  ['=1 + get |', ['get or else()', 'get value()']],
  ['=count(gra|) + 1', ['graph']],
  ['="sh|', []],
  ['="a\\"" + sh|', ['shots']],
  ['=shots|', []],
  ['=1.|', []],
  ['=unknown.|', []],
  ['=graph + |', []],
  ['sh|', []],
])('%s is completed by %j', (marked, expected) => expect(labels(marked)).toEqual(expected));

test('all variables are suggested when they are asked for', () =>
  expect(labels('=graph + |', true)).toEqual(['graph', 'shots', 'read out']));

test('what is taken replaces the word before the caret, and stands within the brackets of a function', () => {
  expect(suggestionsAt('=1 + get o', 10, VARIABLES, FUNCTIONS, false)).toEqual([
    { label: 'get or else()', detail: 'value, default', from: 5, insert: 'get or else()', back: 1 },
  ]);
  expect(suggestionsAt('=read', 5, VARIABLES, FUNCTIONS, false)[0]).toMatchObject({ from: 1, insert: '`read out`' });
});

test('members of schemas, of values and of both', () => {
  const schema = {
    $defs: { edge: { type: 'object', properties: { weight: { type: 'number' }, self: { $ref: '#/$defs/edge' } } } },
    type: 'object',
    properties: { edges: { type: 'array', items: { $ref: '#/$defs/edge' } } },
  };
  const members = membersOfSchema(schema, schema);
  expect(memberAt(['edges', 'self', 'weight'], members)).toMatchObject({ type: 'number' });
  const both = joined(members, membersOfValue({ edges: [{ source: 'a' }], more: 1 }));
  expect(both.map(({ name }) => name)).toEqual(['edges', 'more']);
  expect(both[0]?.members.map(({ name }) => name)).toEqual(['weight', 'self', 'source']);
});

test('members of the result of a service stand in its document', () => {
  const result = {
    anyOf: [{ $ref: '#/components/schemas/Failure' }, { $ref: '#/components/schemas/Result' }],
  };
  const document = {
    components: {
      schemas: {
        Failure: { properties: { code: {} } },
        Result: {
          properties: {
            _links: {},
            counts: { type: 'object', properties: { '00': { type: 'integer' } } },
            best: { type: 'array' },
          },
        },
      },
    },
    paths: { '/{id}/result': { get: { responses: { 200: { content: { 'application/json': { schema: result } } } } } } },
  };
  const members = resultMembers(document);
  expect(members.map(({ name }) => name)).toEqual(['counts', 'best']);
  expect(sampleOf(members)).toEqual({ counts: { '00': 0 }, best: [] });
  expect(resultMembers({})).toEqual([]);
});

test('an expression sees the request, results, mappings, loops and errors, and nothing of other sub-processes', () => {
  const extensions = (...values: object[]) => ({ extensionElements: { values } });
  const mapping = (side: string, ...pairs: readonly (readonly [string, string])[]) => ({
    $type: 'zeebe:IoMapping',
    [`${side}Parameters`]: pairs.map(([target, source]) => ({ source, target })),
  });
  const header = { $type: 'zeebe:TaskHeaders', values: [{ key: 'serviceId', value: 'ghz' }] };
  const schema = JSON.stringify({ type: 'object', properties: { qubits: { type: 'integer' } } });
  const process = node('bpmn:Process', 'process', {
    flowElements: [
      node('bpmn:StartEvent', 'start', extensions({ $type: 'kethub:RequestSchema', body: schema })),
      node('bpmn:ServiceTask', 'plain', extensions(header)),
      node('bpmn:ServiceTask', 'mapped', extensions(header, mapping('output', ['ghz.all', '={c: counts, n: 1}']))),
      node('bpmn:BoundaryEvent', 'failed', {
        attachedToRef: { id: 'plain' },
        eventDefinitions: [{ $type: 'bpmn:ErrorEventDefinition' }],
      }),
      node('bpmn:SubProcess', 'sub', {
        flowElements: [
          node('bpmn:ScriptTask', 'script', extensions({ $type: 'zeebe:Script', resultVariable: 'inner' })),
        ],
      }),
      node('bpmn:Task', 'last', extensions(mapping('input', ['local', '=qubits']))),
    ],
  });
  const ghz = { name: 'counts', type: 'object', members: [{ name: '00', type: 'integer', members: [] }] };
  const services = [{ id: 'ghz', name: '', version: null, parameters: [], result: [ghz], example: '' }];
  const at = (id: string, side: 'input' | 'output' = 'input') => {
    const flat = (process as { flowElements?: readonly Moddle[] }).flowElements ?? [];
    const inner = flat.flatMap((one) => (one as { flowElements?: readonly Moddle[] }).flowElements ?? []);
    const element = [...flat, ...inner].find((one) => one.id === id);
    return element ? variablesFor(element, services, side) : [];
  };
  const names = at('last').map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['local', 'qubits', 'counts', 'ghz', 'plain_serviceError']));
  expect(names).not.toContain('inner');
  expect(memberAt(['ghz', 'all', 'c', '00'], at('last'))).toMatchObject({ type: 'integer' });
  expect(memberAt(['ghz', 'all', 'n'], at('last'))).toMatchObject({ type: 'number' });
  expect(memberAt(['plain_serviceError', 'message'], at('last'))).toMatchObject({ type: 'string' });
  expect(memberAt(['local'], at('last'))).toMatchObject({ type: 'integer' });
  expect(at('script').map(({ name }) => name)).toContain('inner');
  expect(at('mapped', 'output')[0]).toEqual(ghz);
});

const KINDS: Readonly<Record<string, readonly string[]>> = {
  'bpmn:Process': ['bpmn:FlowElementsContainer'],
  'bpmn:SubProcess': ['bpmn:FlowElementsContainer', 'bpmn:FlowNode'],
};

/** An element as bpmn-js has it, with its children below it. */
function node(type: string, id: string, members: object): Moddle {
  const kinds = [type, ...(KINDS[type] ?? ['bpmn:FlowNode'])];
  const made = {
    $type: type,
    id,
    $instanceOf: (kind: string) => kinds.includes(kind),
    ...members,
  } as unknown as Moddle;
  for (const inner of (members as { flowElements?: readonly Moddle[] }).flowElements ?? [])
    (inner as { $parent?: Moddle }).$parent = made;
  return made;
}
