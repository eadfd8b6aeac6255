import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlite } from '../../testing/databases.ts';
import { poolUser } from '../../testing/data-pools.ts';
import { callerOf, member, type Answered } from '../../testing/gateway.ts';
import { build, deploy, startTestKethub, type DeployedService, type TestKethub } from '../../testing/kethub.ts';
import { searchFiles } from '../../testing/secret-search.ts';
import { bpmn, calls, deployWorkflow } from '../../testing/workflows.ts';
import { parseInput, type InputParameters } from '@kethub/service-api';
import { programOf } from '../../catalog/services/index.ts';

function parametersOf(parameters: string | null): InputParameters {
  const program = programOf({ type: 'MANAGED', parameters, runtime: 'PYTHON_TEMPLATE' });
  return program.type === 'MANAGED' ? program.parameters : expect.fail('A workflow');
}

const parameter = (name: string, is: string, annotation: string | null = null) => ({ name, kind: is, annotation });
const typed = parametersOf(
  JSON.stringify([
    parameter('data', 'data', 'dict'),
    parameter('token', 'secret', 'SecretValue'),
    parameter('pool', 'dataPool', 'DataPool'),
  ]),
);
const untyped = parametersOf(JSON.stringify([parameter('data', 'data'), parameter('token', 'data')]));
const unknownParameters = parametersOf(null);
const open = parametersOf(
  JSON.stringify([parameter('data', 'data', 'dict'), parameter('token', 'secret'), parameter('more', 'other')]),
);
const pool = { id: '01890000-0000-7000-8000-000000000000', ref: 'DATAPOOL' };

describe('what is judged of the names in an input', () => {
  test.each([
    ['a secret', typed, { $secrets: { token: 'x' } }, 'accepted'],
    ['a secret that is left out', typed, { data: {} }, 'accepted'],
    ['a secret that is null', typed, { token: null }, 'accepted'],
    ['a secret in clear', typed, { token: 'opened' }, '/token'],
    ['a secret in clear that is empty', typed, { token: '' }, '/token'],
    ['a secret in clear as an object', typed, { token: { value: 'opened' } }, '/token'],
    ['a secret both ways', typed, { token: 'opened', $secrets: { token: 'x' } }, '/token'],
    ['a name that is misspelt', typed, { $secrets: { tokem: 'x' } }, '/$secrets/tokem'],
    ['a secret for a typed value', typed, { $secrets: { data: 'x' } }, '/$secrets/data'],
    ['a secret for a data pool', typed, { $secrets: { pool: 'x' } }, '/$secrets/pool'],
    ['a secret without type hints', untyped, { $secrets: { token: 'x' } }, 'accepted'],
    ['a value without type hints', untyped, { token: 'plain' }, 'accepted'],
    ['both without type hints', untyped, { token: 'opened', $secrets: { token: 'x' } }, '/token'],
    ['an unknown name without type hints', untyped, { $secrets: { other: 'x' } }, '/$secrets/other'],
    ['any name where all are taken', open, { $secrets: { other: 'x' }, another: 1 }, 'accepted'],
    ['a secret in clear where all are taken', open, { token: 'opened' }, '/token'],
    ['both where all are taken', open, { other: 'opened', $secrets: { other: 'x' } }, '/other'],
    ['any name of a container', unknownParameters, { $secrets: { any: 'x' }, data: 1 }, 'accepted'],
    ['both of a container', unknownParameters, { any: 'opened', $secrets: { any: 'x' } }, '/any'],
    ['both in other letters', unknownParameters, { 'a/~': 'opened', $secrets: { 'a/~': 'x' } }, '/a~1~0'],
  ])('%s', async (_what, parameters, input, expected) => {
    const judged = parseInput(JSON.stringify(input), [], parameters).then(
      () => 'accepted',
      (error: { code: string; message: string; errors: { pointer: string }[] }) => {
        expect(error.code).toBe('invalid-secrets');
        expect(error.message).not.toContain('opened');
        return error.errors.map(({ pointer }) => pointer).join();
      },
    );
    expect(await judged).toBe(expected);
  });

  test('a name that is written with escapes is the same name', async () => {
    const text = String.raw`{"\u0074oken": "opened"}`;
    await expect(parseInput(text, [], typed)).rejects.toMatchObject({ code: 'invalid-secrets' });
  });

  test('a reference is one under a parameter of the type, and where nothing says what it is', async () => {
    const input = JSON.stringify({ data: pool, token: pool, more: pool });
    const references = async (parameters: typeof typed) =>
      Object.keys((await parseInput(input, parameters.dataPools, parameters)).references);
    expect(await references(untyped)).toEqual(['data', 'token']);
    expect(await references({ ...open, secrets: [] })).toEqual(['token', 'more']);
    expect(await references({ ...typed, dataPools: ['more'], secrets: [] })).toEqual(['more']);
  });
});

describe('a secret in clear is refused and kept nowhere', () => {
  const secret = `clear-${randomBytes(12).toString('hex')}`;
  const files = {
    'src/__init__.py': '',
    'src/program.py': `
from kethub.secret import SecretValue


def run(data=None, token: SecretValue = None):
    return {"length": len(token.unwrap()) if token else None}
`,
  };
  let kethub: TestKethub;
  let service: DeployedService;

  beforeAll(async () => {
    kethub = await startTestKethub(sqlite);
    service = await deploy(kethub.client, 'Keeper', files);
  });
  afterAll(() => kethub.close());

  const kept = (): string[] => searchFiles(secret, [kethub.dataDir, process.env['LOG_CHECK_FILE'] ?? kethub.dataDir]);
  const body = JSON.stringify({ data: 1, token: secret });
  const post = async (path: string): Promise<Answered> => {
    const answer = await fetch(kethub.platform.addresses.api + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${kethub.loginSession}`,
        'content-type': 'application/json',
        'idempotency-key': createHash('sha256').update(path).digest('hex'),
      },
      body,
    });
    return { status: answer.status, headers: answer.headers, text: '', body: await answer.json() };
  };

  test('at the gateway and in the job interface, of a published version and of a draft', async () => {
    const app = await callerOf(service);
    const draft = (await build(kethub.client, 'Draft keeper', files)).service;
    const answers = [
      await app.request('POST', '/', { body }),
      await app.request('POST', '/', { body, headers: { 'idempotency-key': 'once' } }),
      await post(`/services/${service.service.id}/executions`),
      await post(`/services/${service.service.id}/versions/1.0.0/executions`),
      await post(`/services/${draft.id}/executions`),
    ];
    for (const answer of answers) {
      expect([answer.status, member(answer.body, 'type')]).toEqual([400, expect.stringMatching(/invalid-secrets$/)]);
      expect(answer.body).toMatchObject({ errors: [{ pointer: '/token' }] });
    }
    expect(await kethub.client.listOwnedExecutions()).toEqual([]);
    expect(kept()).toEqual([]);
  });

  test('by a task of a workflow: the task fails with the reason, and a workflow takes what its tasks read', async () => {
    const { chain, end, file } = bpmn;
    const task = bpmn.service('use', {
      in: { token: '=string(1)', $secrets: '={token: secret_value("key")}' },
      out: { length: '=length' },
      extensions: calls(service.service.id),
    });
    const xml = file([bpmn.start('begun'), task, end('end', { length: '=length' }), chain('begun', 'use', 'end')]);
    const workflow = await deployWorkflow(kethub.client, 'Using', xml, [service.service]);
    const app = await callerOf(workflow);
    const failed = await app.finish({ $secrets: { key: 'k' } });
    const { body: result } = await app.request('GET', `/${failed.id}/result`);
    expect(result).toMatchObject({ errors: [{ failedElement: 'use', response: { errors: [{ pointer: '/token' }] } }] });

    const refused = async (input: object): Promise<unknown> => {
      const answer = await app.request('POST', '/', { body: JSON.stringify(input) });
      expect(answer.status).toBe(400);
      return (answer.body as { errors: unknown }).errors;
    };
    expect(await refused({ key: secret })).toMatchObject([{ pointer: '/key' }]);
    expect(await refused({ $secrets: { kei: 'k' } })).toMatchObject([{ pointer: '/$secrets/kei' }]);
    expect(kept()).toEqual([]);
  });

  test('a run without type hints takes a value, a secret or a data pool', async () => {
    const program = 'def run(data, one=None):\n    return {"type": type(one).__name__}\n';
    const hintless = await deploy(kethub.client, 'Hintless', { 'src/__init__.py': '', 'src/program.py': program });
    const app = await callerOf(hintless);
    const pools = await poolUser(kethub, kethub.loginSession);
    const one = { id: (await pools.create('graphs')).id, ref: 'DATAPOOL' };
    const typeOf = async (input: object): Promise<string> => {
      const { id } = await app.finish({ data: 1, ...input });
      return member((await app.request('GET', `/${id}/result`)).body, 'type');
    };
    expect(await typeOf({ one: 7 })).toBe('int');
    expect(await typeOf({ $secrets: { one: 'x' } })).toBe('SecretValue');
    expect(await typeOf({ one })).toBe('DataPool');
  });
});
