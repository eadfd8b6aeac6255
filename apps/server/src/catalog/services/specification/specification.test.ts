import { stringify } from 'yaml';
import { describe, expect, test } from 'vitest';
import { checkDocument } from './check.ts';
import { fromSignature, unknownSignature, type Signature } from '@kethub/service-api/specification';
import { installed } from '@kethub/service-api/specification';
import { judgeDocument } from './judge.ts';
import { atReference, type JsonObject } from '@kethub/service-api/specification';
import { readJson, readYaml } from '@kethub/service-api/specification';
import { documentOf } from '@kethub/service-api/specification';

const about = { title: 'Solver', version: '1.0.0', description: 'Solves.' };
const addresses = {
  endpoint: 'http://gateway/a/solver/2.0.0',
  tokenEndpoint: 'http://gateway/token',
  version: '2.0.0',
};
const template = (): JsonObject => structuredClone(documentOf({ ...about, ...unknownSignature }));

/** The template with one value changed; undefined removes it. */
function changed(path: readonly (string | number)[], value: unknown): JsonObject {
  const document = template();
  let at: unknown = document;
  for (const step of path.slice(0, -1)) at = Reflect.get(Object(at) as object, step);
  const last = path.at(-1) ?? '';
  if (value === undefined) Reflect.deleteProperty(Object(at) as object, last);
  else Reflect.set(Object(at) as object, last, value);
  return document;
}

const parameter = (name: string, schema: unknown, more: object = {}): Signature['parameters'][number] => ({
  name,
  kind: 'data',
  required: true,
  schema,
  ...more,
});

describe('the default template', () => {
  test('is a specification of a service, with and without what the installation fills in', async () => {
    expect(await checkDocument(template())).toEqual([]);
    const complete = installed(template(), addresses);
    expect(await checkDocument(complete)).toEqual([]);
    expect(complete).toMatchObject({ info: { version: '2.0.0' }, servers: [{ url: addresses.endpoint }] });
    const links = atReference(complete, '#/paths/~1/post/responses/201/links');
    expect(Object.keys(links as object)).toEqual(['status', 'result', 'cancel']);
  });

  test('also survives as OpenAPI 3.0, and as YAML', async () => {
    const older = { ...template(), openapi: '3.0.3' };
    expect(await checkDocument(older)).toEqual([]);
    expect(readYaml(stringify(older))).toEqual({ ok: true, document: JSON.parse(JSON.stringify(older)) as unknown });
  });

  test('is linked also where operations have lost their ids', () => {
    const document = changed(['paths', '/{id}', 'get', 'operationId'], undefined);
    const link = atReference(installed(document, addresses), '#/paths/~1/post/responses/201/links/status');
    expect(link).toMatchObject({ operationRef: '#/paths/~1%7Bid%7D/get' });
    expect(atReference(document, '#/paths/~1%7Bid%7D/get')).toBeDefined();
  });
});

describe('what is derived', () => {
  const model = {
    $defs: { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } } },
    $ref: '#/$defs/Node',
  };

  test('is a specification of a service whose references lead somewhere', async () => {
    const derived = fromSignature({
      parameters: [
        parameter('data', model),
        parameter('params', { type: 'integer' }, { required: false }),
        parameter('größe', { type: 'number' }),
        { name: 'token', kind: 'secret', required: true },
        { name: 'pool', kind: 'dataPool', required: false },
        { name: 'rest', kind: 'other', required: false },
      ],
      result: { type: 'object', properties: { cut: { type: 'integer' } }, additionalProperties: false },
    });
    if (!derived) throw new Error('Nothing was derived');
    const document = documentOf({ ...about, ...derived });
    expect(await checkDocument(document)).toEqual([]);
    expect(atReference(document, '#/components/schemas/InputData/$defs/Node/properties/next')).toEqual({
      $ref: '#/components/schemas/InputData/$defs/Node',
    });
    expect(derived.input).toMatchObject({
      required: ['data', 'größe', '$secrets'],
      properties: { $secrets: { required: ['token'] }, pool: { $ref: '#/components/schemas/DataPoolReference' } },
    });
    expect(derived.schemas['Result']).toEqual({ type: 'object', properties: { cut: { type: 'integer' } } });
  });

  test('has secrets and data pools of a run without type hints', async () => {
    const hintless = { kind: 'data', required: true, annotation: null, schema: null } as const;
    const parameters = ['data', 'params', 'graph'].map((name) => ({ ...hintless, name }));
    expect(fromSignature({ parameters: parameters.slice(0, 2), result: null })).toBeNull();
    const named = [...parameters.slice(0, 2), { ...hintless, kind: 'secret' as const, name: 'token' }];
    expect(fromSignature({ parameters: named, result: null })?.input).toMatchObject({
      required: ['data', 'params', '$secrets'],
      properties: { $secrets: { required: ['token'], additionalProperties: false } },
    });
    const derived = fromSignature({ parameters, result: null });
    if (!derived) throw new Error('Nothing was derived');
    expect(await checkDocument(documentOf({ ...about, ...derived }))).toEqual([]);
    // The input takes any of these; the caller decides.
    expect(derived.input).toMatchObject({
      required: ['data', 'params'],
      properties: { graph: {}, $secrets: { properties: { graph: { type: 'string' } }, required: [] } },
    });
    expect(derived.schemas['Input.graph']).toMatchObject({
      anyOf: [{ $ref: '#/components/schemas/DataPoolReference' }, {}],
    });
    expect(template().paths).toMatchObject({
      '/': {
        post: {
          requestBody: {
            content: { 'application/json': { schema: { properties: { $secrets: { type: 'object' } } } } },
          },
        },
      },
    });
  });

  test('has a returned value that is no object under the key result', () => {
    const derived = fromSignature({ parameters: [], result: { type: 'array' } });
    expect(derived?.schemas['ResultResponse']).toMatchObject({
      anyOf: [{ properties: { result: { $ref: '#/components/schemas/Result' } } }, {}],
      required: ['_links', '_embedded'],
    });
  });

  test.each<[string, unknown]>([
    ['nothing', null],
    ['a schema that leads elsewhere', { $ref: 'http://evil/schema' }],
    ['a schema that leads nowhere', { $ref: '#/$defs/None' }],
    ['a schema with an id of its own', { $id: 'http://evil', type: 'object' }],
    ['a schema that is none', 'object'],
    ['a schema that is too long', { description: 'x'.repeat(70_000) }],
  ])('is nothing from %s', (_what, schema) => {
    expect(fromSignature({ parameters: [parameter('data', schema)], result: schema })).toBeNull();
  });
});

describe('a document is refused with the exact pointer', () => {
  test.each<[string, JsonObject, string]>([
    ['of another version of OpenAPI', changed(['openapi'], '3.2.0'), '/openapi'],
    ['of Swagger', { swagger: '2.0' }, '/openapi'],
    ['without info', changed(['info'], undefined), '/info'],
    ['with a path more', changed(['paths', '/admin'], { get: { responses: {} } }), '/paths/~1admin'],
    ['with a path less', changed(['paths', '/{id}/log'], undefined), '/paths/~1{id}~1log/get'],
    ['with a method more', changed(['paths', '/{id}', 'delete'], { responses: {} }), '/paths/~1{id}/delete'],
    ['with a method less', changed(['paths', '/', 'post'], undefined), '/paths/~1/post'],
    [
      'with a parameter more',
      changed(['paths', '/', 'get', 'parameters', 2], { name: 'all', in: 'query', schema: {} }),
      '/paths/~1/get/parameters/2',
    ],
    [
      'whose path parameter is gone',
      changed(['paths', '/{id}', 'get', 'parameters'], []),
      '/paths/~1{id}/get/parameters',
    ],
    [
      'with another body',
      changed(['paths', '/', 'post', 'requestBody', 'content', 'text/plain'], {}),
      '/paths/~1/post/requestBody/content/text~1plain',
    ],
    [
      'whose data is something else',
      changed(['paths', '/', 'post', 'requestBody', 'content', 'application/json', 'schema', 'properties', 'data'], {}),
      '/paths/~1/post/requestBody/content/application~1json/schema/properties/data',
    ],
    [
      'with another success',
      changed(['paths', '/', 'post', 'responses', '202'], { description: '' }),
      '/paths/~1/post/responses/202',
    ],
    [
      'without its success',
      changed(['paths', '/{id}', 'get', 'responses', '200'], undefined),
      '/paths/~1{id}/get/responses/200',
    ],
    ['with a callback', changed(['paths', '/', 'post', 'callbacks'], {}), '/paths/~1/post/callbacks'],
    [
      'with a server of its own',
      changed(['paths', '/', 'post', 'servers'], [{ url: 'http://evil' }]),
      '/paths/~1/post/servers',
    ],
    ['that opens an operation', changed(['paths', '/', 'post', 'security'], []), '/paths/~1/post/security'],
    ['with webhooks', changed(['webhooks'], {}), '/webhooks'],
    ['without InputData', changed(['components', 'schemas', 'InputData'], undefined), '/components/schemas/InputData'],
    [
      'without InputParams',
      changed(['components', 'schemas', 'InputParams'], undefined),
      '/components/schemas/InputParams',
    ],
    [
      'without ResultResponse',
      changed(['components', 'schemas', 'ResultResponse'], undefined),
      '/components/schemas/ResultResponse',
    ],
    [
      'without _links',
      changed(['components', 'schemas', 'ResultResponse', 'properties', '_links'], undefined),
      '/components/schemas/ResultResponse/properties/_links',
    ],
    [
      'without _embedded',
      changed(['components', 'schemas', 'ResultResponse', 'properties', '_embedded'], undefined),
      '/components/schemas/ResultResponse/properties/_embedded',
    ],
    [
      'whose _links is a text',
      changed(['components', 'schemas', 'ResultResponse', 'properties', '_links'], { type: 'string' }),
      '/components/schemas/ResultResponse/properties/_links',
    ],
    [
      'whose result is something else',
      changed(['paths', '/{id}/result', 'get', 'responses', '200', 'content', 'application/json', 'schema'], {}),
      '/paths/~1{id}~1result/get/responses/200/content/application~1json/schema',
    ],
    [
      'that refers to a file',
      changed(['components', 'schemas', 'InputData'], { $ref: 'file:///etc/passwd' }),
      '/components/schemas/InputData/$ref',
    ],
    [
      'that refers to an address',
      changed(['components', 'schemas', 'InputData', 'items'], { $ref: 'http://169.254.169.254/' }),
      '/components/schemas/InputData/items/$ref',
    ],
    [
      'that refers to nothing',
      changed(['components', 'schemas', 'InputData'], { $ref: '#/components/schemas/None' }),
      '/components/schemas/InputData/$ref',
    ],
    [
      'that refers to itself',
      changed(['components', 'schemas', 'InputData'], { $ref: '#/components/schemas/InputData' }),
      '/components/schemas/InputData',
    ],
  ])('%s', async (_what, document, pointer) => {
    const errors = await checkDocument(document);
    expect(errors.map((error) => error.pointer)).toContain(pointer);
  });

  test('a member may come from another schema', async () => {
    const document = changed(['components', 'schemas', 'ResultResponse'], {
      allOf: [{ $ref: '#/components/schemas/Hal' }, { type: 'object', properties: { cut: { type: 'integer' } } }],
    });
    const schemas = atReference(document, '#/components/schemas') as JsonObject;
    schemas['Hal'] = atReference(template(), '#/components/schemas/ResultResponse') ?? {};
    expect(await checkDocument(document)).toEqual([]);
  });

  test('names every pointer at once', async () => {
    const errors = await checkDocument({ openapi: '3.1.0', info: { title: 'T', version: '1' }, paths: {} });
    expect(errors.length).toBeGreaterThanOrEqual(10);
  });
});

describe('what is read is bounded', () => {
  const bomb = [
    'a: &a [x, x, x, x, x, x, x, x, x]',
    ...'bcdefghij'
      .split('')
      .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghij'[index]}`).join(', ')}]`),
  ].join('\n');
  test.each<[string, string]>([
    ['an alias bomb', bomb],
    ['an alias of itself', 'a: &a [*a]'],
    ['an alias of nothing', 'a: *b'],
    ['deep lists', '['.repeat(20_000)],
    ['deep lists that end', `a: ${'['.repeat(5_000)}${']'.repeat(5_000)}`],
    ['deep mappings', '{"a":'.repeat(2_000) + '1' + '}'.repeat(2_000)],
    ['no mapping', '- a'],
    ['nothing', ''],
    ['a tab', 'a:\n\t- b'],
    ['a repeated key', 'a: 1\na: 2'],
    ['two documents', 'a: 1\n---\nb: 2'],
    ['infinity', 'a: .inf'],
    ['the character U+0000', '"a": "\\0"'],
    ['a key that is a mapping', '? {a: 1}\n: 2'],
  ])('%s is refused', (_what, text) => {
    const read = readYaml(text);
    expect(read).toMatchObject({ ok: false, errors: [{ detail: expect.any(String) }] });
  });

  test('names do what they say', () => {
    const read = readYaml('__proto__: {a: 1}\nconstructor: 2\nresponses: {200: yes}');
    expect(read).toMatchObject({ ok: true, document: { responses: { 200: 'yes' } } });
    expect(Reflect.get({}, 'a')).toBeUndefined();
  });

  test('a document that is too large as JSON', () => {
    expect(readJson({ a: 'x'.repeat(600_000) })).toMatchObject({ ok: false });
    expect(readJson({ a: Array(300_000).fill(0) })).toMatchObject({ ok: false });
  });

  test('a hostile document is judged by as many steps as it has values', async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 8_000 }, (_, index) => [`S${index}`, { $ref: '#/components/schemas/InputData' }]),
    );
    const document = template();
    Object.assign(atReference(document, '#/components/schemas') as JsonObject, schemas);
    expect(await checkDocument(document)).toEqual([]);
  });
});

describe('judging in a thread', () => {
  test('returns the document, or what is wrong with it', async () => {
    const text = JSON.stringify(template());
    expect(await judgeDocument({ text, form: 'JSON' })).toEqual({ ok: true, document: text });
    expect(await judgeDocument({ text: stringify(template()), form: 'YAML' })).toMatchObject({ ok: true });
    expect(await judgeDocument({ text: '- a', form: 'YAML' })).toMatchObject({ ok: false });
  });

  test('ends with its limits, and does so for one document only', async () => {
    const hostile = { text: 'a: }\n'.repeat(100_000), form: 'YAML' } as const;
    const [slow, next] = await Promise.all([
      judgeDocument(hostile, 500),
      judgeDocument({ text: JSON.stringify(template()), form: 'JSON' }),
    ]);
    expect([slow?.ok, next?.ok]).toEqual([false, true]);
    expect(slow).toMatchObject({ errors: [{ detail: expect.stringContaining('too long') }] });
  });

  test('refuses callers who would have to wait for many others', async () => {
    const one = { text: '- a', form: 'YAML' } as const;
    const judged = await Promise.all(Array.from({ length: 10 }, () => judgeDocument(one)));
    expect(judged.map((judgement) => judgement === null)).toEqual([...Array<boolean>(8).fill(false), true, true]);
  });

  test('a schema made of itself many times costs no more than once', async () => {
    const document = changed(['components', 'schemas', 'ResultResponse'], {
      allOf: Array.from({ length: 50 }, () => ({ $ref: '#/components/schemas/ResultResponse' })),
    });
    const errors = await checkDocument(document);
    expect(errors.map(({ pointer }) => pointer)).toContain('/components/schemas/ResultResponse/properties/_links');
  });
});
