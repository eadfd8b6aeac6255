import { createPlatformClient, type PlatformClient } from '@kethub/client';
import type { Recipient } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sqlite } from '../../testing/databases.ts';
import { member as memberOf, requestToken } from '../../testing/gateway.ts';
import { build, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { probe } from '../../testing/probe.ts';
import { zip } from '../../testing/zip.ts';

const FAR = '2999-01-01 00:00:00';
const PAST = '2001-01-01 00:00:00';
const patient = { timeout: 20_000 };

/** The stages of a version's life. */
const stages = ['NOT_BUILT', 'BUILT', 'SHARED', 'INTERNAL', 'WITHDRAWN', 'RETIRED'] as const;
type Stage = (typeof stages)[number];
const shares = {
  NONE: null,
  NOT_YET: { startDate: FAR },
  ACTIVE: { endDate: FAR },
  EXPIRED: { endDate: PAST },
  NEVER_ACTIVE: { startDate: FAR, endDate: PAST },
  REVOKED: {},
} as const;
type ShareState = keyof typeof shares;

interface Actor {
  readonly client: PlatformClient;
  readonly applicationId: string;
}

async function actor(client: PlatformClient): Promise<Actor> {
  return { client, applicationId: (await client.createApplication({ json: { name: 'caller' } })).id };
}

/**
 * The rule of the specification: a share alone opens the job interface, the API needs an internal publication as well.
 */
const opensJobs = (stage: Stage, share: ShareState): boolean =>
  share === 'ACTIVE' && !['NOT_BUILT', 'RETIRED'].includes(stage);
/** An application may subscribe before a share begins; it calls nothing until then. */
const opensSubscription = (stage: Stage, share: ShareState): boolean =>
  stage === 'INTERNAL' && !['NONE', 'REVOKED'].includes(share);

describe('who may run a service that is shared', () => {
  let kethub: TestKethub;
  let provider: PlatformClient;
  const services = {} as Record<Stage, string>;
  /** Each recipient of a share, with those who act for it. */
  const recipients: { recipient: Recipient; acting: Actor; others: Actor[] }[] = [];

  beforeAll(async () => {
    kethub = await startTestKethub(sqlite);
    provider = kethub.client;
    await Promise.all(stages.map(async (stage) => (services[stage] = await serviceAt(stage))));
    const [grace, edsger] = [await kethub.signIn('grace'), await kethub.signIn('edsger')];
    const graceId = (await grace.client.getMe()).id;
    const { id } = await grace.client.createOrganization({ json: { name: 'Lab' } });
    const baseUrl = kethub.platform.addresses.api;
    const graceThere = createPlatformClient({
      baseUrl,
      credential: { loginSession: grace.loginSession },
      organizationId: id,
    });
    const [person, member, stranger] = [await actor(grace.client), await actor(graceThere), await actor(edsger.client)];
    recipients.push(
      { recipient: { type: 'USER', id: graceId }, acting: person, others: [member, stranger] },
      { recipient: { type: 'ORGANIZATION', id }, acting: member, others: [person, stranger] },
    );
  });
  afterAll(() => kethub.close());

  async function serviceAt(stage: Stage): Promise<string> {
    const broken = { 'src/__init__.py': '', 'src/program.py': 'def other():\n    pass\n' };
    const { service } = await build(provider, `At ${stage}`, stage === 'NOT_BUILT' ? broken : probe);
    const publish = (visibility: 'SHARED' | 'INTERNAL') =>
      provider.publishServiceVersion({ serviceId: service.id, version: '1.0.0', json: { visibility } });
    if (stage === 'SHARED') await publish('SHARED');
    if (['INTERNAL', 'WITHDRAWN', 'RETIRED'].includes(stage)) await publish('INTERNAL');
    if (stage === 'WITHDRAWN') await publish('SHARED');
    if (stage === 'RETIRED') await provider.retireServiceVersion({ serviceId: service.id, version: '1.0.0', json: {} });
    return service.id;
  }

  const statusOf = async (attempt: Promise<unknown>): Promise<number> => {
    try {
      await attempt;
      return 201;
    } catch (error) {
      return (error as { status: number }).status;
    }
  };
  async function unshare(serviceId: string): Promise<void> {
    for (const { id } of await provider.listShares({ serviceId }))
      await provider.deleteShare({ serviceId, shareId: id });
  }
  async function answers({ client, applicationId }: Actor, serviceId: string) {
    const [byNumber, newest, subscribed, all] = await Promise.all([
      statusOf(client.startJobOfVersion({ serviceId, version: '1.0.0', json: {} })),
      statusOf(client.startJob({ serviceId, json: {} })),
      statusOf(client.subscribe({ applicationId, json: { serviceId } })),
      client.listSharedServices(),
    ]);
    for (const { id } of subscribed === 201 ? await client.listSubscriptions({ applicationId }) : [])
      await client.unsubscribe({ applicationId, subscriptionId: id });
    return { byNumber, newest, listed: all.some(({ id }) => id === serviceId), subscribed };
  }
  const nothing = { byNumber: 404, newest: 404, listed: false, subscribed: 404 };

  describe.each(stages)('a version that is %s', (stage) => {
    test.each(Object.keys(shares) as ShareState[])('under a share that is %s', async (state) => {
      const serviceId = services[stage];
      for (const { recipient, acting, others } of recipients) {
        const given = shares[state];
        const share = given && (await provider.createShare({ serviceId, json: { recipient, ...given } }));
        if (share && state === 'REVOKED') await provider.deleteShare({ serviceId, shareId: share.id });
        const runs = opensJobs(stage, state) ? 201 : 404;
        expect(await answers(acting, serviceId)).toEqual({
          byNumber: runs,
          newest: runs,
          listed: state === 'ACTIVE',
          // Only callers who may see a retired version learn that it takes no subscriptions.
          subscribed: opensSubscription(stage, state) ? 201 : subscribingTo(stage, state),
        });
        if (share && state === 'ACTIVE')
          expect(share.opens).toEqual(runs === 404 ? [] : stage === 'INTERNAL' ? ['JOBS', 'API'] : ['JOBS']);
        for (const other of others) expect(await answers(other, serviceId)).toEqual(nothing);
        await unshare(serviceId);
      }
    });
  });

  function subscribingTo(stage: Stage, state: ShareState): number {
    return stage === 'RETIRED' && !['NONE', 'REVOKED'].includes(state) ? 409 : 404;
  }

  test('an internal publication that is withdrawn ends the calls of all applications, and the jobs go on', async () => {
    const serviceId = services.INTERNAL;
    const [first] = recipients;
    if (!first) throw new Error('No recipient');
    await provider.createShare({ serviceId, json: { recipient: first.recipient } });
    const callers: (() => Promise<number>)[] = [];
    for (const client of [provider, first.acting.client]) {
      const application = await client.createApplication({ json: { name: 'caller' } });
      const { endpoint } = await client.subscribe({ applicationId: application.id, json: { serviceId } });
      const [key] = application.accessKeys;
      const secret = (await client.revealSecretAccessKey({ applicationId: application.id, keyId: key?.id ?? '' }))
        .secretAccessKey;
      const token = await requestToken(application.tokenEndpoint, `${key?.accessKeyId}:${secret}`);
      const headers = { authorization: `Bearer ${memberOf(token.body, 'access_token')}` };
      callers.push(async () => (await fetch(endpoint, { headers })).status);
    }
    const statuses = () => Promise.all(callers.map((call) => call()));
    await expect.poll(statuses, patient).toEqual([200, 200]);
    const withdrawn = await provider.publishServiceVersion({
      serviceId,
      version: '1.0.0',
      json: { visibility: 'SHARED' },
    });
    expect(withdrawn).toMatchObject({ state: 'PUBLISHED', visibility: 'SHARED' });
    await expect.poll(statuses, patient).toEqual([403, 404]);
    expect(await statusOf(first.acting.client.startJob({ serviceId, json: {} }))).toBe(201);
    await provider.publishServiceVersion({ serviceId, version: '1.0.0', json: { visibility: 'INTERNAL' } });
    await expect.poll(statuses, patient).toEqual([200, 200]);
    await unshare(serviceId);
  });

  test('the draft beside a published version stays with its owner', async () => {
    const serviceId = services.SHARED;
    const { version } = await provider.addServiceVersion({ serviceId, body: await zip(probe) });
    for await (const one of provider.watchBuild({ serviceId, version })) if (one.status === 'SUCCEEDED') break;
    const [first] = recipients;
    if (!first) throw new Error('No recipient');
    await provider.createShare({ serviceId, json: { recipient: first.recipient } });
    expect(await statusOf(first.acting.client.startJobOfVersion({ serviceId, version, json: {} }))).toBe(404);
    expect(await statusOf(first.acting.client.startJobOfVersion({ serviceId, version: '1.0.0', json: {} }))).toBe(201);
    const [shared] = await first.acting.client.listSharedServices();
    expect(shared?.versions.map((one) => one.version)).toEqual(['1.0.0']);
    expect(await statusOf(provider.startJobOfVersion({ serviceId, version, json: {} }))).toBe(201);
    await unshare(serviceId);
  });

  test('the marketplace offers a version that is not published internally', async () => {
    const serviceId = services.WITHDRAWN;
    await provider.publishListing({
      serviceId,
      json: {
        version: '1.0.0',
        categories: [],
        pricingPlans: [{ id: 'free', type: 'FREE', name: 'Free' }],
      },
    });
    const [first] = recipients;
    if (!first) throw new Error('No recipient');
    const application = await first.acting.client.createApplication({ json: { name: 'caller' } });
    expect(await statusOf(first.acting.client.subscribe({ applicationId: application.id, json: { serviceId } }))).toBe(
      400,
    );
    const subscription = await first.acting.client.subscribe({
      applicationId: application.id,
      json: { serviceId, pricingPlanId: 'free' },
    });
    expect(subscription.basis).toBe('MARKETPLACE');
    // The marketplace opens the API to applications, and no job interface.
    expect(await statusOf(first.acting.client.startJob({ serviceId, json: {} }))).toBe(404);
  });

  test('a share of a service that runs elsewhere says that it opens no job interface', async () => {
    const elsewhere = await provider.createService({
      json: { type: 'ON_PREMISE', name: 'Elsewhere', target: { url: 'https://example.org/' } },
    });
    const [first] = recipients;
    if (!first) throw new Error('No recipient');
    const share = await provider.createShare({ serviceId: elsewhere.id, json: { recipient: first.recipient } });
    expect(share.opens).toEqual([]);
    expect(await statusOf(first.acting.client.startJob({ serviceId: elsewhere.id, json: {} }))).toBe(409);
    await provider.publishServiceVersion({
      serviceId: elsewhere.id,
      version: '1.0.0',
      json: { visibility: 'INTERNAL' },
    });
    expect((await provider.listShares({ serviceId: elsewhere.id })).map(({ opens }) => opens)).toEqual([['API']]);
    const [shared] = await first.acting.client.listSharedServices();
    expect(shared?.versions).toMatchObject([{ version: '1.0.0', opens: ['API'], endpoint: expect.any(String) }]);
  });
});
