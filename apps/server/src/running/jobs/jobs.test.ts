import type { PlatformClient } from '@kethub/client';
import type { OwnedExecution, Service, ServiceExecution } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sweepOrphans } from '../../foundation/storage/index.ts';
import { databases } from '../../testing/databases.ts';
import { callerOf, member, type Answered, type Caller, type CallOptions } from '../../testing/gateway.ts';
import { build, deploy, startTestKethub, type DeployedService, type TestKethub } from '../../testing/kethub.ts';
import { probe } from '../../testing/probe.ts';

const UNKNOWN = '01900000-0000-7000-8000-000000000000';
const patient = { timeout: 20_000 };

describe.each(databases())('the job interface on $name', (kind) => {
  let kethub: TestKethub;
  let deployed: DeployedService;
  let service: Service;
  let application: Caller;
  let grace: { client: PlatformClient; loginSession: string };
  let edsger: { client: PlatformClient; loginSession: string };

  beforeAll(async () => {
    kethub = await startTestKethub(kind, { KETHUB_MAX_CONCURRENT_EXECUTIONS: '2' });
    deployed = await deploy(kethub.client, 'Probe', probe);
    ({ service } = deployed);
    application = await callerOf(deployed);
    grace = await kethub.signIn('grace');
    edsger = await kethub.signIn('edsger');
  });
  afterAll(() => kethub.close());

  const api = (): string => kethub.kethub.platform.addresses.api;
  async function ask(method: string, path: string, options: CallOptions = {}, session?: string): Promise<Answered> {
    const answer = await fetch(api() + path, {
      ...options,
      method,
      headers: {
        authorization: `Bearer ${session ?? kethub.loginSession}`,
        ...(options.body !== undefined && { 'content-type': 'application/json' }),
        ...options.headers,
      },
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json');
    return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : text };
  }
  const start = (body: string, headers: Record<string, string> = {}, session?: string) =>
    ask('POST', `/services/${service.id}/versions/1.0.0/executions`, { body, headers }, session);
  const codeOf = ({ status, body }: Answered): string => `${status} ${member(body, 'type').split('/').at(-1)}`;
  const shareWithGrace = async () =>
    kethub.client.createShare({
      serviceId: service.id,
      json: { recipient: { type: 'USER', id: (await grace.client.getMe()).id } },
    });

  describe('an own service', () => {
    test('is run from the start to the result, with links at the platform interface', async () => {
      const params = { return: { cut: 3 }, files: { 'a.svg': '<svg/>' }, print: ['one', 'two'] };
      const started = await start(JSON.stringify({ params }));
      expect(started.status).toBe(201);
      const id = member(started.body, 'id');
      const address = `${api()}/service-executions/${id}`;
      expect(started.headers.get('location')).toBe(address);
      const ids = { type: 'MANAGED', serviceId: service.id, serviceDefinitionId: expect.any(String) as string };
      expect(started.body).toEqual({ id, status: 'PENDING', createdAt: expect.any(String), ...ids });
      const seen: ServiceExecution[] = [];
      for await (const one of kethub.client.executions.watch(id)) seen.push(one);
      expect(seen.at(-1)?.status).toBe('SUCCEEDED');
      expect(await kethub.client.getOwnedResult({ executionId: id })).toEqual({
        cut: 3,
        _links: {
          self: { href: `${address}/result` },
          status: { href: address },
          'a.svg': { href: `${address}/result/a.svg` },
        },
        _embedded: { status: seen.at(-1) },
      });
      const file = await ask('GET', `/service-executions/${id}/result/a.svg`);
      expect([file.text, file.headers.get('content-type')]).toEqual(['<svg/>', 'image/svg+xml']);
      expect((await kethub.client.getOwnedLog({ executionId: id })).map(({ message }) => message)).toEqual([
        'one',
        'two',
      ]);
      const followed: string[] = [];
      for await (const { entry } of kethub.client.executions.followLog(id)) followed.push(entry.message);
      expect(followed).toEqual(['one', 'two']);
      const tag = (await ask('GET', `/service-executions/${id}`)).headers.get('etag') ?? '';
      const again = await ask('GET', `/service-executions/${id}`, { headers: { 'if-none-match': tag } });
      expect(again.status).toBe(304);
    });

    test('takes Prefer: wait and Idempotency-Key as the gateway does, one key per version', async () => {
      const headers = { prefer: 'wait=60', 'idempotency-key': 'once' };
      const first = await start('{"data": 7}', headers);
      expect([first.status, member(first.body, 'status')]).toEqual([201, 'SUCCEEDED']);
      const second = await start('{"data": 7}', headers);
      expect(member(second.body, 'id')).toBe(member(first.body, 'id'));
      expect(codeOf(await start('{"data": 8}', headers))).toBe('422 idempotency-key-reused');
      // Idempotency-Keys of different persons are independent.
      const share = await shareWithGrace();
      const others = await start('{"data": 7}', headers, grace.loginSession);
      expect(member(others.body, 'id')).not.toBe(member(first.body, 'id'));
      await kethub.client.deleteShare({ serviceId: service.id, shareId: share.id });
    });

    test.each([
      ['broken JSON', '{"data": ', '400 malformed-json'],
      ['an empty body', '', '400 malformed-json'],
      ['an array', '[]', '400 input-not-an-object'],
      ['secrets that are no object', '{"$secrets": []}', '400 invalid-secrets'],
      ['17 MiB', `{"data": "${'x'.repeat(17 * 1024 * 1024)}"}`, '413 too-large'],
      ['what is not JSON', 'data', '415 unsupported-media-type', 'text/plain'],
      ['a ZIP', 'PK', '415 unsupported-media-type', 'application/zip'],
    ])('refuses %s', async (_what, body, code, type = 'application/json') => {
      expect(codeOf(await start(body, { 'content-type': type }))).toBe(code);
    });

    test('keeps every digit of the input, of which there may be more than of another request', async () => {
      const digits = '123456789012345678901234567890';
      const body = `{"data": {"large": ${digits}, "text": "${'x'.repeat(3 * 1024 * 1024)}"}}`;
      const started = await start(body, { prefer: 'wait=60' });
      expect(member(started.body, 'status')).toBe('SUCCEEDED');
      const { text } = await ask('GET', `/service-executions/${member(started.body, 'id')}/result`);
      expect(text).toContain(digits);
    });

    test('can be run while it is a draft that is built; not one whose build has failed', async () => {
      const draft = (await build(kethub.client, 'Draft', probe)).service;
      const job = { serviceId: draft.id, json: {}, headers: { prefer: 'wait=60' } };
      expect((await kethub.client.startJobOfVersion({ ...job, version: '1.0.0' })).status).toBe('SUCCEEDED');
      // Without a number the newest published version runs, or the draft while there is none.
      expect((await kethub.client.startJob(job)).status).toBe('SUCCEEDED');
      await kethub.client.publishServiceVersion({
        serviceId: draft.id,
        version: '1.0.0',
        json: { visibility: 'INTERNAL' },
      });
      expect((await kethub.client.startJob(job)).status).toBe('SUCCEEDED');
      await expect(kethub.client.startJobOfVersion({ ...job, version: '1.1.0' })).rejects.toMatchObject({
        status: 404,
      });
      const broken = { 'src/__init__.py': '', 'src/program.py': 'def other():\n    pass\n' };
      const failed = await build(kethub.client, 'Broken', broken);
      expect(failed.build.status).toBe('FAILED');
      await expect(
        kethub.client.startJobOfVersion({ serviceId: failed.service.id, version: '1.0.0', json: {} }),
      ).rejects.toMatchObject({
        code: 'build-not-succeeded',
      });
    });

    test('is cancelled; what has ended stays as it is', async () => {
      const { id } = await kethub.client.startJob({ serviceId: service.id, json: { params: { sleep: 60 } } });
      const { executions } = kethub.client;
      await expect.poll(async () => (await executions.getExecution({ id })).status, patient).toBe('RUNNING');
      expect(codeOf(await ask('GET', `/service-executions/${id}/result`))).toBe('404 result-not-available');
      expect((await executions.cancelExecution({ id })).status).toBe('CANCELLED');
      expect((await executions.cancelExecution({ id })).status).toBe('CANCELLED');
      const ended = await kethub.client.startJob({ serviceId: service.id, json: {}, headers: { prefer: 'wait=60' } });
      expect(await executions.cancelExecution({ id: ended.id })).toEqual(ended);
      expect(await executions.getExecution({ id: ended.id })).toEqual(ended);
    });

    test('a secret reaches the code and nothing else', async () => {
      const secret = 'open-sesame-51726354';
      const input = { $secrets: { token: secret } };
      const { id, status } = await kethub.client.startJob({
        serviceId: service.id,
        json: input,
        headers: { prefer: 'wait=60' },
      });
      expect(status).toBe('SUCCEEDED');
      const paths = ['', `/${id}`, `/${id}/result`, `/${id}/log`];
      const texts = await Promise.all(paths.map(async (path) => (await ask('GET', `/service-executions${path}`)).text));
      expect(texts.join('')).not.toContain(secret);
      expect(texts[2]).toMatch(new RegExp(`"length": ?${secret.length}`));
    });
  });

  describe('who sees an execution', () => {
    /** All operations on one execution. */
    const operations = (id: string) =>
      [
        ['GET', `/service-executions/${id}`],
        ['GET', `/service-executions/${id}/result`],
        ['GET', `/service-executions/${id}/result/a.txt`],
        ['GET', `/service-executions/${id}/log`],
        ['PUT', `/service-executions/${id}/cancel`],
      ] as const;
    async function expectNothing(id: string, session: string): Promise<void> {
      for (const [method, path] of operations(id))
        expect(codeOf(await ask(method, path, {}, session))).toBe('404 execution-not-found');
      const { body } = await ask('GET', '/service-executions', {}, session);
      expect((body as OwnedExecution[]).map((one) => one.id)).not.toContain(id);
    }

    test('started by an application: its subscription, and the owner of the application as a person', async () => {
      const { id } = await application.finish({ params: { return: { cut: 1 }, files: { 'a.txt': 'a' } } });
      const address = `${api()}/service-executions/${id}`;
      expect(await kethub.client.getOwnedResult({ executionId: id })).toMatchObject({
        cut: 1,
        _links: { status: { href: address }, 'a.txt': { href: `${address}/result/a.txt` } },
      });
      expect((await application.request('GET', `/${id}/result`)).body).toMatchObject({
        _links: { status: { href: `${deployed.endpoint}/${id}` } },
      });
      await expectNothing(id, grace.loginSession);
      await expectNothing(UNKNOWN, kethub.loginSession);
    });

    test('started as a job: the person; not through a subscription, nor by anybody else', async () => {
      const share = await shareWithGrace();
      const params = { return: { cut: 2 }, files: { 'a.txt': 'a' } };
      const { id } = await grace.client.startJobOfVersion({
        serviceId: service.id,
        version: '1.0.0',
        json: { params },
        headers: { prefer: 'wait=60' },
      });
      expect(await grace.client.getOwnedResult({ executionId: id })).toMatchObject({ cut: 2 });
      for (const path of [`/${id}`, `/${id}/result`, `/${id}/log`])
        expect(codeOf(await application.request('GET', path))).toBe('404 execution-not-found');
      expect(codeOf(await application.request('PUT', `/${id}/cancel`))).toBe('404 execution-not-found');
      expect((await application.request('GET', '/')).text).not.toContain(id);
      await expectNothing(id, edsger.loginSession);
      // The provider of the service cannot read the execution either.
      await expectNothing(id, kethub.loginSession);

      // Without the share, executions can be read but not started.
      await kethub.client.deleteShare({ serviceId: service.id, shareId: share.id });
      expect(await grace.client.getOwnedResult({ executionId: id })).toMatchObject({ cut: 2 });
      await expect(
        grace.client.startJobOfVersion({ serviceId: service.id, version: '1.0.0', json: {} }),
      ).rejects.toMatchObject({ status: 404 });
      expect((await grace.client.listOwnedExecutions({ serviceId: service.id })).map((one) => one.id)).toContain(id);
    });

    test('the provider sees that there was one, and nothing that it was about', async () => {
      const share = await shareWithGrace();
      const mark = 'what-grace-computes';
      const input = { params: { return: mark, print: [mark] } };
      const started = await grace.client.startJobOfVersion({
        serviceId: service.id,
        version: '1.0.0',
        json: input,
        headers: { prefer: 'wait=60' },
      });
      const answer = await ask('GET', `/services/${service.id}/executions?limit=1`);
      const { id, status, createdAt, startedAt, endedAt } = started;
      expect(answer.body).toEqual([{ id, status, createdAt, startedAt, endedAt, version: '1.0.0' }]);
      expect(answer.text).not.toContain(mark);
      const next = /<(.*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1] ?? '';
      const second = (await ask('GET', next.slice(api().length))).body as { id: string }[];
      expect(second[0] && second[0].id < started.id).toBe(true);
      for (const { loginSession } of [grace, edsger])
        expect((await ask('GET', `/services/${service.id}/executions`, {}, loginSession)).status).toBe(404);
      await kethub.client.deleteShare({ serviceId: service.id, shareId: share.id });
    });

    test('a list names the service and who started it, of one service or all, whole or by pages', async () => {
      const other = (await deploy(kethub.client, 'Other', probe)).service;
      const { id: me } = await kethub.client.getMe();
      const byApplication = await application.finish({});
      const job = await kethub.client.startJob({ serviceId: other.id, json: {}, headers: { prefer: 'wait=60' } });
      const link = (id: string, path = '') => ({ href: `${api()}/service-executions/${id}${path}` });
      const links = (id: string) => ({ self: link(id), status: link(id), result: link(id, '/result') });
      const expected = [
        {
          ...job,
          serviceId: other.id,
          serviceName: 'Other',
          version: '1.0.0',
          applicationId: null,
          personId: me,
          _links: links(job.id),
        },
        {
          ...byApplication,
          serviceId: service.id,
          serviceName: 'Probe',
          version: '1.0.0',
          personId: null,
          applicationId: deployed.application.id,
          _links: links(byApplication.id),
        },
      ];
      expect((await kethub.client.listOwnedExecutions()).slice(0, 2)).toEqual(expected);
      const page = await ask('GET', `/service-executions?serviceId=${service.id}&limit=1`);
      expect(page.body).toEqual([expected[1]]);
      const next = /<(.*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
      const following = (await ask('GET', next.slice(api().length))).body as OwnedExecution[];
      expect(following.map((one) => one.serviceId)).toEqual([service.id]);
      await expect(kethub.client.deleteService({ serviceId: other.id })).rejects.toMatchObject({
        code: 'service-in-use',
      });
      await kethub.client.deleteService({ serviceId: other.id, force: true });
      const [left] = await kethub.client.listOwnedExecutions({ limit: 1 });
      expect(left).toMatchObject({ id: job.id, serviceId: other.id });
      expect(left).not.toHaveProperty('serviceName');
      expect(await kethub.client.getOwnedResult({ executionId: job.id })).toMatchObject({ _embedded: { status: job } });
    });

    test('a stranger can start nothing, and does not learn whether there is such a service', async () => {
      const attempt = (id: string) => ask('POST', `/services/${id}/executions`, { body: '{}' }, edsger.loginSession);
      const [there, nowhere] = [await attempt(service.id), await attempt(UNKNOWN)];
      expect([there.status, nowhere.status]).toEqual([404, 404]);
      expect(member(there.body, 'detail').replace(service.id, UNKNOWN)).toBe(member(nowhere.body, 'detail'));
    });

    test('goes with the account, results and files included; what runs has to be cancelled first', async () => {
      const leaving = await kethub.signIn('leaving');
      const { id: userId } = await leaving.client.getMe();
      await kethub.client.createShare({ serviceId: service.id, json: { recipient: { type: 'USER', id: userId } } });
      const params = { return: 'x'.repeat(100_000), files: { 'a.txt': 'a' } };
      const ended = await leaving.client.startJob({
        serviceId: service.id,
        json: { params },
        headers: { prefer: 'wait=60' },
      });
      const running = await leaving.client.startJob({ serviceId: service.id, json: { params: { sleep: 60 } } });
      const { database, blobs: store, now } = kethub.kethub.platform;
      const left = () => database.read.selectFrom('executions').selectAll().where('owner_id', '=', userId).execute();
      const blobs = [
        (await left()).find(({ id }) => id === ended.id)?.result_blob,
        (
          await database.read.selectFrom('execution_files').selectAll().where('execution_id', '=', ended.id).execute()
        )[0]?.blob,
      ];

      const refusal = await ask('DELETE', '/me', {}, leaving.loginSession);
      expect(codeOf(refusal)).toBe('400 still-owner');
      expect(member(refusal.body, 'detail')).toContain(`PUT /service-executions/${running.id}/cancel`);
      expect(await left()).toHaveLength(2);
      await leaving.client.cancelOwnedExecution({ executionId: running.id });
      expect((await ask('DELETE', '/me', {}, leaving.loginSession)).status).toBe(204);
      expect(await left()).toEqual([]);
      // The blob is marked as an orphan. The platform itself may sweep it before this test does.
      await sweepOrphans(database, store, now());
      for (const blob of blobs) await expect(store.get(blob ?? '')).rejects.toMatchObject({ code: 'ENOENT' });
    });
  });
});
