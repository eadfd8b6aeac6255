import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { callerOf, type Caller } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { deployOnPremise, localTargets, startProvider } from '../../testing/on-premise.ts';
import { bpmn, calls, deployWorkflow, start } from '../../testing/workflows.ts';

const withSecret = `
from kethub.secret import SecretValue


def run(data, token: SecretValue = None):
    return {"length": len(token.unwrap()), "shown": str(token)}
`;

const { chain, end, service, file } = bpmn;

describe.each(databases())('what tasks pass on and call on $name', (kind) => {
  let platform: TestKethub;

  beforeAll(async () => {
    platform = await startTestKethub(kind, localTargets);
  });
  afterAll(() => platform.close());

  const result = async (app: Caller, id: string) => (await app.request('GET', `/${id}/result`)).body;

  test('"a secret is passed to a task through the reserved input variable $secrets"; it stands nowhere in clear', async () => {
    const program = { 'src/__init__.py': '', 'src/program.py': withSecret };
    const keeper = await deploy(platform.client, 'Keeper', program);
    const xml = file([
      start(),
      service('use', {
        in: { data: '=1', $secrets: '={token: secret_value("key")}' },
        out: { length: '=length', shown: '=shown' },
        extensions: calls(keeper.service.id),
      }),
      end('end', { length: '=length', shown: '=shown' }),
      chain('start', 'use', 'end'),
    ]);
    const app = await callerOf(await deployWorkflow(platform.client, 'Secret', xml, [keeper.service]));
    const secret = 'a-secret-of-this-test';
    const { id, status } = await app.finish({ $secrets: { key: secret } });
    expect(await result(app, id)).toMatchObject({ length: secret.length, shown: '[redacted]' });
    expect(status).toBe('SUCCEEDED');
    for (const table of [
      'workflow_instances',
      'workflow_journal',
      'workflow_jobs',
      'workflow_events',
      'executions',
    ] as const) {
      const rows = await platform.kethub.platform.database.read.selectFrom(table).selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(secret);
    }
    const missing = await app.finish({});
    expect(missing.status).toBe('FAILED');
    expect(await result(app, missing.id)).toMatchObject({
      errors: [{ errorCode: 'WORKFLOW_ERROR', failedElement: 'use', message: expect.stringContaining('key') }],
    });
  });

  test.for([
    ['', 0],
    [', also when its result is lost on the way', 1],
  ] as const)(
    'a service that runs elsewhere is called once, with the id of the job as Idempotency-Key%s',
    async ([, lost]) => {
      const keys: (string | undefined)[] = [];
      let results = 0;
      const provider = await startProvider((request, response) => {
        const { method = '', url = '' } = request;
        const status = { id: 'abc', status: 'SUCCEEDED', createdAt: '2026-01-01 00:00:00' };
        if (method === 'POST') keys.push(request.headers['idempotency-key'] as string | undefined);
        if (url.endsWith('/result') && (results += 1) <= lost) {
          response.destroy();
          return;
        }
        const body = url.endsWith('/result') ? { tripled: 9, _links: {}, _embedded: { status } } : status;
        request.resume().once('end', () => {
          response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
        });
      });
      const target = { url: `${provider.url}/`, timeoutSeconds: 10 };
      const { service: elsewhere } = await deployOnPremise(platform.client, `Elsewhere ${lost}`, target);
      const xml = file([
        start(),
        service('there', { in: { data: '=3' }, out: { answer: '=tripled' }, extensions: calls(elsewhere.id) }),
        end('end', { answer: '=answer' }),
        chain('start', 'there', 'end'),
      ]);
      const app = await callerOf(await deployWorkflow(platform.client, `Calls elsewhere ${lost}`, xml, [elsewhere]));
      const { id, status } = await app.finish({});
      expect([status, await result(app, id)]).toEqual(['SUCCEEDED', expect.objectContaining({ answer: 9 })]);
      expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
      await provider.close();
    },
  );
});
