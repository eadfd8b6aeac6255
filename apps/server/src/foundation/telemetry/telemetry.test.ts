import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { callerOf, type Caller } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type DeployedService, type TestKethub } from '../../testing/kethub.ts';
import { freePort } from '../../testing/platform.ts';
import { startReceiver, type ExportedSpan } from '../../testing/trace-receiver.ts';

const program = `import os

def run(data=None, params=None):
    return {"trace": os.environ.get("TRACEPARENT")}
`;

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

describe.each(databases())('traces on $name', (kind) => {
  test('from the request to the end of the execution it is one trace, exported by OTLP over HTTP', async () => {
    const receiver = await startReceiver();
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, KETHUB_TRACE_RATIO: '0' };
    const kethub = await startTestKethub(kind, settings);
    const app = await callerOf(
      await deploy(kethub.client, 'Traced', { 'src/__init__.py': '', 'src/program.py': program }),
    );
    const started = await app.request('POST', '/', {
      body: '{}',
      headers: { prefer: 'wait=60', traceparent: `00-${TRACE}-${SPAN}-01` },
    });
    const { id } = started.body as { id: string };
    const { trace } = (await app.request('GET', `/${id}/result`)).body as { trace: string };
    // The caller does not ask to record this request, and the ratio is 0.
    await app.finish({});
    // `close` exports the remaining spans.
    await kethub.close();
    await receiver.close();

    const { spans } = receiver;
    expect([...receiver.services]).toEqual(['kethub']);
    expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([TRACE]));
    const named = (name: string): ExportedSpan => {
      const found = spans.filter((span) => span.name === name);
      expect([name, found.length]).toEqual([name, 1]);
      return found[0] as ExportedSpan;
    };
    const request = named('POST /:owner/:service/:version/');
    const accept = named('execution accept');
    expect(request.parentSpanId).toBe(SPAN);
    expect(accept.parentSpanId).toBe(request.spanId);
    for (const name of ['execution claim', 'execution run', 'execution finish']) {
      expect(named(name).parentSpanId).toBe(accept.spanId);
      expect(BigInt(named(name).endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(named(name).startTimeUnixNano));
    }
    expect(trace).toBe(`00-${TRACE}-${accept.spanId}-01`);
  });

  test('without a collector the trace of a caller goes on into the execution, and no other is made', async () => {
    const kethub = await startTestKethub(kind);
    const app = await callerOf(
      await deploy(kethub.client, 'Passed', { 'src/__init__.py': '', 'src/program.py': program }),
    );
    const traced = async (traceparent?: string): Promise<unknown> => {
      const headers = { prefer: 'wait=60', ...(traceparent !== undefined && { traceparent }) };
      const { body } = await app.request('POST', '/', { body: '{}', headers });
      const result = await app.request('GET', `/${(body as { id: string }).id}/result`);
      return (result.body as { trace: unknown }).trace;
    };
    expect(await traced(`00-${TRACE}-${SPAN}-01`)).toBe(`00-${TRACE}-${SPAN}-01`);
    expect(await traced('00-nonsense')).toBeNull();
    expect(await traced()).toBeNull();
    await kethub.close();
  });
});

describe.each(databases())('metrics on $name', (kind) => {
  let kethub: TestKethub;
  let service: DeployedService;
  let app: Caller;
  let port: number;
  beforeAll(async () => {
    port = await freePort();
    kethub = await startTestKethub(kind, { KETHUB_METRICS_PORT: String(port) });
    service = await deploy(kethub.client, 'Zanzibar', { 'src/__init__.py': '', 'src/program.py': program });
    app = await callerOf(service);
  });
  afterAll(() => kethub.close());

  const scrape = async (): Promise<Map<string, number>> => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(
      lines.map((line) => {
        const space = line.lastIndexOf(' ');
        return [line.slice(0, space), Number(line.slice(space + 1))];
      }),
    );
  };
  const route = '/:owner/:service/:version/:id';
  const answered = (status: string): string =>
    `kethub_http_request_duration_seconds_count{interface="gateway",method="GET",route="${route}",status="${status}"}`;

  test('requests are counted by route and class of status, refused ones by their problem', async () => {
    const { id } = await app.finish({});
    const before = await scrape();
    for (let round = 0; round < 3; round++) await app.request('GET', `/${id}`);
    await app.request('GET', `/${kethub.kethub.platform.newId()}`);
    await fetch(new URL('/nothing/here', service.endpoint));
    const after = await scrape();
    const grown = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    expect([grown(answered('2xx')), grown(answered('4xx'))]).toEqual([3, 1]);
    const bucket = answered('2xx').replace('_count', '_bucket').replace('{', '{le="+Inf",');
    expect(grown(bucket)).toBe(3);
    const refused = (problem: string): string =>
      `kethub_requests_refused_total{interface="gateway",problem="${problem}"}`;
    expect(grown(refused('execution-not-found'))).toBe(1);
    expect(grown(refused('not-found'))).toBe(1);
  });

  test('executions are counted by their end, with their waits and runs', async () => {
    const ended = 'kethub_executions_ended_total{status="SUCCEEDED"}';
    // Executions are counted when they are collected, a moment after their status is stored.
    const whenAllHaveEnded = () =>
      vi.waitUntil(
        async () => {
          const values = await scrape();
          const accepted = values.get('kethub_executions_accepted_total') ?? 0;
          return (values.get(ended) ?? 0) === accepted && values;
        },
        { timeout: 30_000 },
      );
    const before = await whenAllHaveEnded();
    await app.finish({});
    const after = await whenAllHaveEnded();
    const grown = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    expect([grown('kethub_executions_accepted_total'), grown(ended)]).toEqual([1, 1]);
    expect(grown('kethub_execution_wait_seconds_count')).toBe(1);
    expect(grown('kethub_execution_run_seconds_count{status="SUCCEEDED"}')).toBe(1);
  });

  test('wrong passwords are counted', async () => {
    const before = await scrape();
    const token = kethub.kethub.identity.tokenEndpoint;
    const body = new URLSearchParams({
      grant_type: 'password',
      client_id: 'kethub',
      username: 'ada',
      password: 'wrong',
    });
    await fetch(token, { method: 'POST', body });
    const after = await scrape();
    const name = 'kethub_sign_in_failures_total';
    expect((after.get(name) ?? 0) - (before.get(name) ?? 0)).toBe(1);
  });

  test('the state of the database, the runner and the process is there', async () => {
    const { database } = kethub.kethub.platform;
    await database.write((transaction) =>
      transaction
        .insertInto('outgoing_mails')
        .values({ id: 'x', sealed_content: '', attempts: 0, created_at: 0, due_at: 9e15, expires_at: 9e15 })
        .execute(),
    );
    const values = await scrape();
    await database.write((transaction) => transaction.deleteFrom('outgoing_mails').execute());
    expect(values.get('kethub_mails_waiting')).toBe(1);
    for (const name of ['kethub_executions_pending', 'kethub_executions_running', 'kethub_builds_running'])
      expect([name, values.get(name)]).toEqual([name, 0]);
    for (const name of [
      'kethub_runner_executions',
      'kethub_runner_warm_processes',
      'nodejs_eventloop_lag_mean_seconds',
    ])
      expect([name, values.get(name)]).toEqual([name, expect.any(Number)]);
    expect(values.has('kethub_database_connections{state="idle"}')).toBe(kind.name === 'PostgreSQL');
  });

  test('no label holds an id, a name or an address of anybody', async () => {
    const { id } = await app.finish({});
    await fetch(new URL('/ada@example.org/treasure', service.endpoint));
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const personal = [
      id,
      service.service.id,
      service.application.id,
      service.service.owner.id,
      'zanzibar',
      'example.org',
      'treasure',
    ];
    for (const value of personal) expect(text.toLowerCase()).not.toContain(value);
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  });

  test('nothing else is served there, and nothing there without the setting', async () => {
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'POST' })).status).toBe(404);
    const { api } = kethub.kethub.platform.addresses;
    expect((await fetch(`${new URL(api).origin}/metrics`)).status).toBe(404);
  });
});
