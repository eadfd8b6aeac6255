import { createHash } from 'node:crypto';
import type { ExecutionRecord } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../../testing/databases.ts';
import { build, startTestKethub, type TestKethub } from '../../../testing/kethub.ts';
import { probe } from '../../../testing/probe.ts';

const sha256 = (content: string): string => createHash('sha256').update(content).digest('hex');

describe.each(databases())('the record of an execution on $name', (kind) => {
  let kethub: TestKethub;
  let serviceId: string;
  let grace: Awaited<ReturnType<TestKethub['signIn']>>;
  const secret = 'wren-51726354';
  /** Grace runs a service of Ada. */
  let ended: { readonly id: string; readonly status: string };
  const input = JSON.stringify({ params: { return: { cut: 3 }, files: { 'private.txt': 'private' }, print: ['one'] } });

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    grace = await kethub.signIn('grace');
    serviceId = (await build(kethub.client, 'Probe', probe)).service.id;
    await kethub.client.publishServiceVersion({ serviceId, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    await kethub.client.createShare({
      serviceId,
      json: { recipient: { type: 'USER', id: (await grace.client.getMe()).id } },
    });
    ended = await run(input);
  });
  afterAll(() => kethub.close());

  const api = (path: string, session: string, options: RequestInit = {}) =>
    fetch(kethub.kethub.platform.addresses.api + path, {
      ...options,
      headers: { authorization: `Bearer ${session}`, 'content-type': 'application/json', prefer: 'wait=60' },
    });
  const run = async (body: string) => {
    const started = await api(`/services/${serviceId}/executions`, grace.loginSession, { method: 'POST', body });
    return (await started.json()) as { id: string; status: string };
  };
  const owned = async (id: string) =>
    (await (await api(`/service-executions/${id}/record`, grace.loginSession)).json()) as ExecutionRecord;
  const provided = (id: string, session = kethub.loginSession) =>
    api(`/services/${serviceId}/executions/${id}/record`, session);

  test('says what ran, on what, with what, within which limits, and what came of it', async () => {
    expect(ended.status).toBe('SUCCEEDED');
    const record = await owned(ended.id);
    const result = '{"cut": 3}';
    const [version] = (await kethub.client.getService({ serviceId })).versions;
    expect(version?.sourceDigest).toMatch(/^[0-9a-f]{64}$/);
    const { id, status, createdAt, startedAt, endedAt } = await grace.client.getOwnedExecution({
      executionId: ended.id,
    });
    expect(record).toEqual({
      id,
      status,
      createdAt,
      startedAt,
      endedAt,
      service: { id: serviceId, name: 'Probe', version: '1.0.0', versionId: expect.any(String) },
      code: { digest: version?.sourceDigest },
      environment: {
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        python: expect.stringMatching(/^3\./),
        platform: expect.any(String),
        packages: [],
      },
      input: { digest: sha256(input), bytes: input.length },
      dataPools: [],
      limits: { cpus: 1, memoryBytes: 2 ** 30, gpus: 0, gpuType: null, runTimeMs: 3_600_000 },
      timings: { waitedMs: expect.any(Number), ranMs: expect.any(Number) },
      usage: {
        cpuSeconds: expect.any(Number),
        peakMemoryBytes: expect.any(Number),
        measuredBy: expect.stringMatching(/^CGROUPS_V[12]$/),
        bytesIn: input.length,
        bytesOut: record.result === null ? 0 : record.result.bytes + 'private'.length,
        logBytes: expect.any(Number),
      },
      exit: { reason: 'SUCCEEDED' },
      result: { digest: expect.any(String), bytes: expect.any(Number) },
      files: [{ name: 'private.txt', bytes: 7, digest: sha256('private') }],
      runtime: { version: expect.stringMatching(/^[0-9a-f]{16}$/) },
    });
    // The text as it was served, before the HAL members: Python decides on its spaces.
    expect([sha256(result), sha256(result.replaceAll(' ', ''))]).toContain(record.result?.digest);
    expect(record.usage?.peakMemoryBytes).toBeGreaterThan(2 ** 20);
  });

  test('the provider of the service sees hashes and sizes, neither names nor messages nor whose it is', async () => {
    const answer = await provided(ended.id);
    const text = await answer.text();
    expect(answer.status).toBe(200);
    const { dataPools: _pools, ...record } = await owned(ended.id);
    expect(JSON.parse(text)).toEqual({ ...record, files: [{ bytes: 7, digest: sha256('private') }] });
    expect(text).not.toContain('private');
    expect(text).not.toContain((await grace.client.getMe()).id);
    const failed = await run(JSON.stringify({ params: { raise: `wrong: ${secret}` } }));
    expect(await owned(failed.id)).toMatchObject({
      exit: { reason: 'ValueError', detail: `wrong: ${secret}` },
      result: null,
    });
    const seen = await (await provided(failed.id)).text();
    expect(seen).not.toContain(secret);
    expect(JSON.parse(seen)).toMatchObject({ exit: { reason: 'ValueError' } });
  });

  test('secrets leave nothing in it, not even a hash', async () => {
    const plain = JSON.stringify({ data: 1 });
    const sealed = JSON.stringify({ data: 1, $secrets: { token: secret } });
    const [one, other] = [await owned((await run(plain)).id), await owned((await run(sealed)).id)];
    expect(other.input).toEqual(one.input);
    expect(JSON.stringify(other)).not.toContain(secret);
  });

  test('the same code with the same input leaves the same hashes', async () => {
    const [one, other] = [await owned(ended.id), await owned((await run(input)).id)];
    for (const member of ['code', 'environment', 'input', 'result', 'files'] as const)
      expect(other[member]).toEqual(one[member]);
  });

  test('one that is cancelled is recorded as cancelled, with what it has used', async () => {
    const { id } = await grace.client.startJob({ serviceId, json: { params: { sleep: 600 } } });
    await expect
      .poll(() => grace.client.getOwnedExecution({ executionId: id }), { timeout: 30_000 })
      .toMatchObject({ status: 'RUNNING' });
    expect(await owned(id)).toMatchObject({ exit: null, usage: null, result: null, files: [] });
    await grace.client.cancelOwnedExecution({ executionId: id });
    await expect
      .poll(() => owned(id), { timeout: 30_000 })
      .toMatchObject({
        exit: { reason: 'CANCELLED' },
        usage: { cpuSeconds: expect.any(Number) },
        code: { digest: expect.any(String) },
      });
  });

  test('nobody else sees it', async () => {
    const edsger = await kethub.signIn('edsger');
    expect((await provided(ended.id, grace.loginSession)).status).toBe(404);
    expect((await provided(ended.id, edsger.loginSession)).status).toBe(404);
    for (const session of [kethub.loginSession, edsger.loginSession])
      expect((await api(`/service-executions/${ended.id}/record`, session)).status).toBe(404);
  });
});
