import { createPlatformClient, type PlatformClient } from '@kethub/client';
import { toTimestamp, type Recipient, type Service } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { member, requestToken } from '../../testing/gateway.ts';
import { build, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { probe } from '../../testing/probe.ts';
import { startSecondGateway } from '../../testing/second-gateway.ts';

/** Allows for a busy machine. */
const patient = { timeout: 20_000 };
const UNKNOWN = '01900000-0000-7000-8000-000000000000';
const FAR = '2999-01-01 00:00:00';
const PAST = '2001-01-01 00:00:00';
const refused = (status: number, code: string) => ({ status, code });

interface Person {
  readonly client: PlatformClient;
  readonly id: string;
  readonly loginSession: string;
}

describe.each(databases())('sharing on $name', (kind) => {
  let kethub: TestKethub;
  let provider: PlatformClient;
  let service: Service;
  let grace: Person;
  let edsger: Person;
  const closing: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    provider = kethub.client;
    service = (await build(provider, 'Shared', probe)).service;
    await provider.publishServiceVersion({ serviceId: service.id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    grace = await join('grace');
    edsger = await join('edsger');
  });
  afterAll(async () => {
    for (const close of closing) await close();
    await kethub.close();
  });

  async function join(username: string): Promise<Person> {
    const { client, loginSession } = await kethub.signIn(username);
    return { client, loginSession, id: (await client.getMe()).id };
  }
  const api = (): string => kethub.kethub.platform.addresses.api;
  const request = (method: string, path: string, loginSession: string, body?: object, headers = {}) =>
    fetch(api() + path, {
      method,
      headers: {
        authorization: `Bearer ${loginSession}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const user = ({ id }: Person): Recipient => ({ type: 'USER', id });
  /** An organization of Edsger's with Grace in it. */
  async function organization(): Promise<{ id: string; graceThere: PlatformClient; edsgerThere: PlatformClient }> {
    const created = await request('POST', '/organizations', edsger.loginSession, { name: 'Lab' });
    const { id } = (await created.json()) as { id: string };
    await kethub.kethub.platform.database.write((transaction) =>
      transaction
        .insertInto('memberships')
        .values({ organization_id: id, user_id: grace.id, role: 'MAINTAINER', created_at: 0 })
        .execute(),
    );
    const there = ({ loginSession }: Person) =>
      createPlatformClient({ baseUrl: api(), credential: { loginSession }, organizationId: id });
    return { id, graceThere: there(grace), edsgerThere: there(edsger) };
  }
  async function unshare(): Promise<void> {
    for (const { id } of await provider.listShares({ serviceId: service.id }))
      await provider.deleteShare({ serviceId: service.id, shareId: id });
  }
  const startsJob = async (client: PlatformClient): Promise<number> => {
    try {
      await client.startJob({ serviceId: service.id, json: {} });
      return 201;
    } catch (error) {
      return (error as { status: number }).status;
    }
  };

  describe('a share', () => {
    test('is created, read, changed and removed; every change is in the audit log', async () => {
      const recipient = user(grace);
      const share = await provider.createShare({ serviceId: service.id, json: { recipient, endDate: FAR } });
      const expected = {
        id: share.id,
        serviceId: service.id,
        recipient,
        startDate: null,
        endDate: FAR,
        status: 'ACTIVE',
        opens: ['JOBS', 'API'],
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      };
      expect(share).toEqual(expected);
      expect(await provider.listShares({ serviceId: service.id })).toEqual([expected]);
      const path = `/services/${service.id}/shares/${share.id}`;
      const read = await request('GET', path, kethub.loginSession);
      expect(await read.json()).toEqual(expected);
      const change = (tag: string) =>
        request('PATCH', path, kethub.loginSession, { startDate: FAR }, { 'if-match': tag });
      const changed = await change(read.headers.get('etag') ?? '');
      expect(await changed.json()).toEqual({ ...expected, startDate: FAR, status: 'NEVER_ACTIVE' });
      expect((await change(read.headers.get('etag') ?? '')).status).toBe(412);
      await provider.deleteShare({ serviceId: service.id, shareId: share.id });
      await expect(provider.deleteShare({ serviceId: service.id, shareId: share.id })).rejects.toMatchObject(
        refused(404, 'not-found'),
      );
      const log = (await (await request('GET', '/audit-log?limit=3', kethub.loginSession)).json()) as object[];
      expect(log).toMatchObject([
        { action: 'share:delete', resourceId: share.id, detail: { serviceId: service.id, recipient } },
        { action: 'share:change', resourceId: share.id, detail: { startDate: FAR, endDate: FAR } },
        { action: 'share:create', resourceId: share.id, detail: { startDate: null, endDate: FAR } },
      ]);
    });

    test.each([
      [null, null, 'ACTIVE'],
      [PAST, FAR, 'ACTIVE'],
      [FAR, null, 'NOT_YET'],
      [null, PAST, 'EXPIRED'],
      [PAST, PAST, 'NEVER_ACTIVE'],
      [FAR, PAST, 'NEVER_ACTIVE'],
    ] as const)(
      'from %s until %s is %s, and gives access only when that is ACTIVE',
      async (startDate, endDate, status) => {
        const share = await provider.createShare({
          serviceId: service.id,
          json: { recipient: user(grace), startDate, endDate },
        });
        expect(share.status).toBe(status);
        const active = status === 'ACTIVE';
        expect((await grace.client.listSharedServices()).map(({ id }) => id)).toEqual(active ? [service.id] : []);
        expect(await startsJob(grace.client)).toBe(active ? 201 : 404);
        await unshare();
      },
    );

    test.each([
      ['/startDate', { startDate: '2026-02-30 00:00:00' }],
      ['/endDate', { endDate: '2026-01-01 24:00:00' }],
      ['/endDate', { endDate: '2026-01-01' }],
      ['/notes', { notes: 'x' }],
    ])('with a wrong %s is refused', async (pointer, wrong) => {
      const body = { recipient: user(grace), ...wrong };
      const answer = await request('POST', `/services/${service.id}/shares`, kethub.loginSession, body);
      expect(await answer.json()).toMatchObject({ status: 400, errors: [{ pointer }] });
    });

    test('is made once for an Idempotency-Key', async () => {
      const post = (body: object) =>
        request('POST', `/services/${service.id}/shares`, kethub.loginSession, body, { 'idempotency-key': 'once' });
      const [first, second] = [await post({ recipient: user(grace) }), await post({ recipient: user(grace) })];
      expect(await second.json()).toEqual(await first.json());
      expect((await post({ recipient: user(edsger) })).status).toBe(422);
      expect(await provider.listShares({ serviceId: service.id })).toHaveLength(1);
      await unshare();
    });

    test('needs a recipient; unknown, pending and switched off users look the same', async () => {
      const waiting = await join('waiting');
      const off = await join('off');
      await kethub.kethub.platform.database.write(async (transaction) => {
        const of = transaction.updateTable('identities');
        await of.set({ status: 'PENDING' }).where('id', '=', waiting.id).execute();
        await of.set({ enabled: 0 }).where('id', '=', off.id).execute();
      });
      const answerTo = async (recipient: Recipient) => {
        const answer = await request('POST', `/services/${service.id}/shares`, kethub.loginSession, { recipient });
        return answer.json();
      };
      const unknown = await answerTo({ type: 'USER', id: UNKNOWN });
      expect(unknown).toMatchObject({ status: 404, errors: [{ pointer: '/recipient/id' }] });
      expect(await answerTo(user(waiting))).toEqual(unknown);
      expect(await answerTo(user(off))).toEqual(unknown);
      expect(await answerTo({ type: 'ORGANIZATION', id: UNKNOWN })).toMatchObject({ status: 404 });
      // The id of a person is not that of an organization.
      expect(await answerTo({ type: 'ORGANIZATION', id: grace.id })).toMatchObject({ status: 404 });
      expect(await answerTo({ type: 'USER', id: (await provider.getMe()).id })).toMatchObject({ status: 409 });
      expect(await provider.listShares({ serviceId: service.id })).toEqual([]);
    });
  });

  describe('what a recipient sees', () => {
    test('is the service with its published versions, and nothing of how it is made', async () => {
      const other = (await build(provider, 'With a draft', probe)).service;
      const environment = { TOKEN: 'open-sesame-5512' };
      await provider.configureServiceVersion({ serviceId: other.id, version: '1.0.0', json: { environment } });
      await provider.publishServiceVersion({ serviceId: other.id, version: '1.0.0', json: { visibility: 'INTERNAL' } });
      await provider.addServiceVersion({
        serviceId: other.id,
        body: new Blob([await (await source(other.id)).arrayBuffer()], { type: 'application/zip' }),
      });
      await provider.createShare({ serviceId: other.id, json: { recipient: user(grace), endDate: FAR } });
      const answer = await request('GET', '/shared-services', grace.loginSession);
      const text = await answer.text();
      expect(JSON.parse(text)).toEqual([
        {
          id: other.id,
          name: 'With a draft',
          slug: 'with-a-draft',
          type: 'MANAGED',
          description: '',
          owner: other.owner,
          endDate: FAR,
          versions: [
            {
              version: '1.0.0',
              state: 'PUBLISHED',
              opens: ['JOBS', 'API'],
              publishedAt: expect.any(String),
              parameters: expect.arrayContaining([expect.objectContaining({ name: 'params' })]),
              hosts: [],
              endpoint: expect.stringMatching(/with-a-draft\/1\.0\.0\/$/),
            },
          ],
        },
      ]);
      expect(text).not.toContain(environment.TOKEN);
      const one = await request('GET', `/shared-services/${other.id}`, grace.loginSession);
      expect([await one.json()]).toEqual(JSON.parse(text));
      const specification = (version: string) => `/shared-services/${other.id}/versions/${version}/api-specification`;
      const described = await request('GET', specification('1.0.0'), grace.loginSession);
      const document = await described.text();
      expect(JSON.parse(document)).toMatchObject({ openapi: expect.any(String), paths: { '/': {} } });
      expect(document).not.toContain(environment.TOKEN);
      // The draft is not opened by the share, and nothing of the service to anybody else.
      expect((await request('GET', specification('1.0.1'), grace.loginSession)).status).toBe(404);
      expect((await request('GET', specification('1.0.0'), edsger.loginSession)).status).toBe(404);
      expect((await request('GET', specification('9'.repeat(5_000)), grace.loginSession)).status).toBe(404);
      for (const path of [
        '',
        '/versions/1.0.0',
        '/versions/1.0.0/source',
        '/versions/1.0.0/api-specification',
        '/versions/1.0.0/build/log',
        '/shares',
        '/executions',
      ]) {
        expect((await request('GET', `/services/${other.id}${path}`, grace.loginSession)).status).toBe(404);
      }
      expect((await request('GET', `/shared-services/${other.id}`, edsger.loginSession)).status).toBe(404);
      await provider.deleteService({ serviceId: other.id });
      expect(await grace.client.listSharedServices()).toEqual([]);
    });
    const source = (id: string) => request('GET', `/services/${id}/versions/1.0.0/source`, kethub.loginSession);

    test('comes in pages', async () => {
      const services = [service, (await build(provider, 'Second', probe)).service];
      for (const { id } of services) await provider.createShare({ serviceId: id, json: { recipient: user(edsger) } });
      const first = await request('GET', '/shared-services?limit=1', edsger.loginSession);
      const next = /<(.*)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
      const second = await request('GET', next.slice(api().length), edsger.loginSession);
      const ids = [...((await first.json()) as Service[]), ...((await second.json()) as Service[])].map(({ id }) => id);
      expect(ids).toEqual(services.map(({ id }) => id).toReversed());
      await unshare();
    });
  });

  describe('somebody else', () => {
    test('cannot see, make, change or remove shares, nor by guessing the id of one', async () => {
      const share = await provider.createShare({ serviceId: service.id, json: { recipient: user(grace) } });
      const own = (await build(edsger.client, 'Own', probe)).service;
      for (const { loginSession } of [grace, edsger]) {
        const path = `/services/${service.id}/shares`;
        const answers = [
          await request('GET', path, loginSession),
          await request('POST', path, loginSession, { recipient: user(edsger) }),
          await request('GET', `${path}/${share.id}`, loginSession),
          await request('PATCH', `${path}/${share.id}`, loginSession, { endDate: null }),
          await request('DELETE', `${path}/${share.id}`, loginSession),
          // The path names a service of the caller.
          await request('DELETE', `/services/${own.id}/shares/${share.id}`, loginSession),
          await request('PATCH', `/services/${own.id}/shares/${share.id}`, loginSession, { endDate: null }),
        ];
        expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404, 404]);
      }
      expect(await provider.listShares({ serviceId: service.id })).toEqual([share]);
      expect(await startsJob(edsger.client)).toBe(404);
      await unshare();
    });

    test('has nothing of it in an organization, nor the organization of what is shared with a member', async () => {
      const { id, graceThere } = await organization();
      await provider.createShare({ serviceId: service.id, json: { recipient: user(grace) } });
      expect(await startsJob(graceThere)).toBe(404);
      expect(await graceThere.listSharedServices()).toEqual([]);
      await unshare();
      await provider.createShare({ serviceId: service.id, json: { recipient: { type: 'ORGANIZATION', id } } });
      expect(await startsJob(graceThere)).toBe(201);
      expect(await startsJob(grace.client)).toBe(404);
      await unshare();
    });
  });

  describe('an organization', () => {
    test('gives its members what is shared with it, until they leave', async () => {
      const { id, graceThere, edsgerThere } = await organization();
      await provider.createShare({ serviceId: service.id, json: { recipient: { type: 'ORGANIZATION', id } } });
      expect((await graceThere.listSharedServices()).map((one) => one.id)).toEqual([service.id]);
      const started = await graceThere.startJobOfVersion({
        serviceId: service.id,
        version: '1.0.0',
        json: {},
        headers: { prefer: 'wait=60' },
      });
      expect(started.status).toBe('SUCCEEDED');
      const left = await request('DELETE', `/organizations/${id}/membership`, grace.loginSession);
      expect(left.status).toBe(204);
      await expect(graceThere.getOwnedResult({ executionId: started.id })).rejects.toMatchObject(
        refused(403, 'unknown-organization'),
      );
      await expect(grace.client.getOwnedResult({ executionId: started.id })).rejects.toMatchObject(
        refused(404, 'execution-not-found'),
      );
      expect(await startsJob(graceThere)).toBe(403);
      // The organization keeps what was started for it.
      expect(await edsgerThere.getOwnedResult({ executionId: started.id })).toMatchObject({
        _embedded: { status: started },
      });
      await unshare();
    });

    test('that is deleted takes what was shared with it along; an account as well', async () => {
      const { id } = await organization();
      const leaving = await join('leaving');
      await provider.createShare({ serviceId: service.id, json: { recipient: { type: 'ORGANIZATION', id } } });
      await provider.createShare({ serviceId: service.id, json: { recipient: user(leaving) } });
      expect((await request('DELETE', `/organizations/${id}`, edsger.loginSession)).status).toBe(204);
      expect((await request('DELETE', '/me', leaving.loginSession)).status).toBe(204);
      expect(await provider.listShares({ serviceId: service.id })).toEqual([]);
      const late = request('POST', `/services/${service.id}/shares`, kethub.loginSession, { recipient: user(leaving) });
      expect((await late).status).toBe(404);
    });
  });

  describe('applications of the recipient', () => {
    async function visibility(value: 'NONE' | 'INTERNAL'): Promise<void> {
      await kethub.kethub.platform.database.write((transaction) =>
        transaction
          .updateTable('service_versions')
          .set({ visibility: value })
          .where('service_id', '=', service.id)
          .execute(),
      );
    }
    async function bearerOf(client: PlatformClient, application: { id: string; tokenEndpoint: string }) {
      const { accessKeys } = await client.getApplication({ applicationId: application.id });
      const secret = (
        await client.revealSecretAccessKey({ applicationId: application.id, keyId: accessKeys[0]?.id ?? '' })
      ).secretAccessKey;
      const token = await requestToken(application.tokenEndpoint, `${accessKeys[0]?.accessKeyId}:${secret}`);
      return { authorization: `Bearer ${member(token.body, 'access_token')}` };
    }

    test('cannot subscribe where the service is not published internally: then there is only the job interface', async () => {
      const application = await grace.client.createApplication({ json: { name: 'too early' } });
      const subscribing = () =>
        grace.client.subscribe({ applicationId: application.id, json: { serviceId: service.id } });
      await expect(subscribing()).rejects.toMatchObject(refused(404, 'not-found'));
      await provider.createShare({ serviceId: service.id, json: { recipient: user(grace) } });
      await visibility('NONE');
      await expect(subscribing()).rejects.toMatchObject(refused(404, 'not-found'));
      expect(await startsJob(grace.client)).toBe(201);
      await visibility('INTERNAL');
      expect(await subscribing()).toMatchObject({ serviceId: service.id });
      await unshare();
    });

    test('call the API while a share is active: at every gateway, within a second of every change', async () => {
      const second = kind.name === 'PostgreSQL' ? await startSecondGateway(kethub) : null;
      if (second) closing.push(() => second.close());
      const application = await grace.client.createApplication({ json: { name: 'caller' } });
      let share = await provider.createShare({ serviceId: service.id, json: { recipient: user(grace) } });
      const { endpoint } = await grace.client.subscribe({
        applicationId: application.id,
        json: { serviceId: service.id },
      });
      const headers = await bearerOf(grace.client, application);
      const statuses = async (): Promise<number[]> => {
        const asked = [endpoint, ...(second ? [second.at(endpoint)] : [])];
        const answers = await Promise.all(asked.map((address) => fetch(address, { headers })));
        for (const answer of answers) await answer.body?.cancel();
        return [...new Set(answers.map(({ status }) => status))];
      };
      const become = (status: number) => expect.poll(statuses, patient).toEqual([status]);
      await become(200);

      await provider.deleteShare({ serviceId: service.id, shareId: share.id });
      await become(404);
      share = await provider.createShare({ serviceId: service.id, json: { recipient: user(grace) } });
      await become(200);
      await provider.changeShare({ serviceId: service.id, shareId: share.id, json: { startDate: FAR } });
      await become(404);
      await provider.changeShare({ serviceId: service.id, shareId: share.id, json: { startDate: PAST } });
      await become(200);
      // The share ends by its date, without any change.
      await provider.changeShare({
        serviceId: service.id,
        shareId: share.id,
        json: { endDate: toTimestamp(Date.now() + 3_000) },
      });
      await become(404);
      expect(await startsJob(grace.client)).toBe(404);
      expect((await provider.listShares({ serviceId: service.id }))[0]?.status).toBe('EXPIRED');

      // The end of one share leaves the access by another one.
      const lasting = await provider.createShare({ serviceId: service.id, json: { recipient: user(grace) } });
      await become(200);
      await provider.deleteShare({ serviceId: service.id, shareId: share.id });
      await become(200);
      await visibility('NONE');
      await provider.deleteShare({ serviceId: service.id, shareId: lasting.id });
      await visibility('INTERNAL');
      await become(404);
    });
  });
});
