import type { PlatformClient } from '@kethub/client';
import type { Listing, MarketplaceEntry, Service } from '@kethub/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { member } from '../../testing/gateway.ts';
import { build, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { listing, requestPlan } from '../../testing/marketplace.ts';
import { probe } from '../../testing/probe.ts';

type Person = { client: PlatformClient; loginSession: string };

describe.each(databases())('the marketplace on $name', (kind) => {
  let kethub: TestKethub;
  let provider: Person;
  let grace: Person;
  let service: Service;
  const listed = new Set<string>();

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    provider = kethub;
    grace = await kethub.signIn('grace');
    service = await published(provider.client, 'Max Cut');
  });
  afterAll(() => kethub.close());
  afterEach(async () => {
    await kethub.kethub.platform.database.write((transaction) => transaction.deleteFrom('listings').execute());
    listed.clear();
  });

  async function published(client: PlatformClient, name: string): Promise<Service> {
    const made = await build(client, name, probe);
    await client.publishServiceVersion({
      serviceId: made.service.id,
      version: '1.0.0',
      json: { visibility: 'INTERNAL' },
    });
    return made.service;
  }

  /** Lists copies of one service, so that none has to be built. */
  async function listedCopies(titles: readonly (readonly [title: string, summary: string])[]): Promise<void> {
    const { database, newId } = kethub.kethub.platform;
    for (const [title, summary] of titles) {
      const [id, versionId] = [newId(), newId()];
      await database.write(async (transaction) => {
        const { id: _service, ...row } = await transaction
          .selectFrom('services')
          .selectAll()
          .where('id', '=', service.id)
          .executeTakeFirstOrThrow();
        await transaction
          .insertInto('services')
          .values({ ...row, id, slug: id })
          .execute();
        const { id: _version, ...version } = await transaction
          .selectFrom('service_versions')
          .selectAll()
          .where('service_id', '=', service.id)
          .executeTakeFirstOrThrow();
        await transaction
          .insertInto('service_versions')
          .values({ ...version, id: versionId, service_id: id })
          .execute();
      });
      await provider.client.publishListing({ serviceId: id, json: listing({ title, summary }) });
    }
  }

  const api = (): string => kethub.kethub.platform.addresses.api;
  async function ask(session: string | null, method: string, path: string, body?: unknown, headers = {}) {
    const response = await fetch(path.startsWith('http') ? path : api() + path, {
      method,
      headers: {
        ...(session !== null && { authorization: `Bearer ${session}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text === '' ? null : JSON.parse(text) };
  }
  const codeOf = ({ status, body }: Awaited<ReturnType<typeof ask>>): string =>
    `${status} ${member(body, 'type').split('/').at(-1)}`;
  const put = (session: string, body: unknown, headers = {}) =>
    ask(session, 'PUT', `/services/${service.id}/listing`, body, headers);
  const titles = async (query: Parameters<PlatformClient['browseMarketplace']>[0] = {}): Promise<string[]> =>
    (await grace.client.browseMarketplace(query)).map(({ title }) => title);

  describe('offering a service', () => {
    test('a published version is offered, changed and taken down, each with its entity tag', async () => {
      const first = await put(provider.loginSession, listing({ summary: 'Cuts graphs' }));
      expect(first.status).toBe(201);
      expect(first.body).toMatchObject({
        version: '1.0.0',
        title: 'Max Cut',
        summary: 'Cuts graphs',
        documentation: '',
      });
      const tag = first.headers.get('etag') ?? '';
      const changed = await put(provider.loginSession, listing({ title: 'Cut' }), { 'if-match': tag });
      expect([changed.status, member(changed.body, 'title')]).toEqual([200, 'Cut']);
      expect(codeOf(await put(provider.loginSession, listing(), { 'if-match': tag }))).toBe('412 stale');
      const path = `/services/${service.id}/listing`;
      expect(codeOf(await ask(provider.loginSession, 'DELETE', path, undefined, { 'if-match': tag }))).toBe(
        '412 stale',
      );
      expect((await provider.client.getListing({ serviceId: service.id })).title).toBe('Cut');
      await provider.client.unpublishListing({ serviceId: service.id });
      expect(codeOf(await ask(provider.loginSession, 'GET', path))).toBe('404 not-found');
      expect(codeOf(await ask(provider.loginSession, 'DELETE', path))).toBe('404 not-found');
    });

    test('who sends If-Match for what is not offered does not offer it', async () => {
      expect(codeOf(await put(provider.loginSession, listing(), { 'if-match': '"1"' }))).toBe('412 stale');
    });

    test('a draft is refused, naming the remedy', async () => {
      const draft = await build(provider.client, 'Draft', probe);
      const answer = await ask(provider.loginSession, 'PUT', `/services/${draft.service.id}/listing`, listing());
      expect(codeOf(answer)).toBe('409 conflict');
      expect(member(answer.body, 'detail')).toContain(`PUT /services/${draft.service.id}/versions/1.0.0/publication`);
    });

    test.each([
      ['no plan', listing({ pricingPlans: [] }), '/pricingPlans'],
      ['plans that do not fit together', listing({ pricingPlans: [requestPlan, requestPlan] }), '/pricingPlans/1/id'],
      ['an unknown category', { ...listing(), categories: ['MAGIC'] }, '/categories/0'],
      ['a category twice', { ...listing(), categories: ['DATA_PROCESSING', 'DATA_PROCESSING'] }, '/categories'],
      ['an unknown member', { ...listing(), price: 1 }, '/price'],
      ['a title of spaces', { ...listing(), title: '  ' }, '/title'],
      ['a summary that is too long', listing({ summary: 'x'.repeat(301) }), '/summary'],
    ])('%s: 400 naming the pointer', async (_what, body, pointer) => {
      const answer = await put(provider.loginSession, body);
      expect(codeOf(answer)).toBe('400 invalid-request');
      expect(answer.body.errors).toEqual(expect.arrayContaining([expect.objectContaining({ pointer })]));
    });

    test.each([
      ['a price as a number', 0.1],
      ['a negative price', '-1'],
      ['a price with seven decimals', '0.0000001'],
      ['a price in scientific notation', '1e3'],
    ])('%s: 400', async (_what, unitPrice) => {
      const products = [{ id: 'runs', name: 'Runs', metering: 'EXECUTION', unit: 'run', unitPrice, currency: 'EUR' }];
      const plan = { id: 'paid', name: 'Paid', type: 'COMMERCIAL', products };
      expect(codeOf(await put(provider.loginSession, { ...listing(), pricingPlans: [plan] }))).toBe(
        '400 invalid-request',
      );
    });

    test('somebody else offers nothing, takes nothing down, and does not learn what there is', async () => {
      await provider.client.publishListing({ serviceId: service.id, json: listing() });
      expect(codeOf(await put(grace.loginSession, listing()))).toBe('404 not-found');
      for (const method of ['GET', 'DELETE'])
        expect(codeOf(await ask(grace.loginSession, method, `/services/${service.id}/listing`))).toBe('404 not-found');
      expect(await titles()).toEqual(['Max Cut']);
    });

    test('of two who offer it at once nobody gets a 500, and it is offered once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) => put(provider.loginSession, listing({ title: `Title ${index}` }))),
      );
      for (const { status } of answers) expect([200, 201, 409]).toContain(status);
      expect(await titles()).toHaveLength(1);
    });

    test('publication, plans and taking down stand in the audit log', async () => {
      await provider.client.publishListing({ serviceId: service.id, json: listing() });
      await provider.client.unpublishListing({ serviceId: service.id });
      const { body } = await ask(provider.loginSession, 'GET', '/audit-log?limit=2');
      expect(body).toMatchObject([
        { action: 'listing:unpublish', resourceId: service.id },
        {
          action: 'listing:publish',
          resourceId: service.id,
          detail: { version: '1.0.0', pricingPlans: listing().pricingPlans.map(({ id }) => ({ id })) },
        },
      ]);
    });

    test('who gets a service by transfer decides anew whether it is offered', async () => {
      const moved = await published(provider.client, 'Moved');
      await provider.client.publishListing({ serviceId: moved.id, json: listing() });
      const { body: lab } = await ask(provider.loginSession, 'POST', '/organizations', { name: 'Quantum Lab' });
      const to = { type: 'ORGANIZATION', id: member(lab, 'id') };
      expect((await ask(provider.loginSession, 'PUT', `/services/${moved.id}/owner`, to)).status).toBe(200);
      expect(await titles()).toEqual([]);
    });
  });

  describe('looking around', () => {
    test('anybody who is approved sees what a service offers, and never its source or environment', async () => {
      await kethub.kethub.platform.database.write((transaction) =>
        transaction
          .updateTable('service_versions')
          .set({ configuration: JSON.stringify({ environment: { KEY: 'hidden-value' } }) })
          .where('service_id', '=', service.id)
          .execute(),
      );
      await provider.client.publishListing({ serviceId: service.id, json: listing({ documentation: '# How' }) });
      const found = await ask(grace.loginSession, 'GET', `/marketplace/services/${service.id}`);
      const { id } = await provider.client.getMe();
      expect(found.body).toEqual({
        serviceId: service.id,
        title: 'Max Cut',
        summary: '',
        description: '',
        documentation: '# How',
        categories: ['OPTIMIZATION'],
        provider: { type: 'USER', id, name: 'ada Test' },
        version: '1.0.0',
        publishedAt: expect.any(String),
        pricingPlans: listing().pricingPlans.map((plan) => expect.objectContaining({ id: plan.id, type: plan.type })),
        parameters: expect.arrayContaining([expect.objectContaining({ name: 'data' })]),
        _links: {
          apiSpecification: { href: `${api()}/marketplace/services/${service.id}/api-specification` },
        },
      });
      const specification = await ask(
        grace.loginSession,
        'GET',
        `/marketplace/services/${service.id}/api-specification`,
      );
      expect(specification.body).toMatchObject({
        info: { version: '1.0.0' },
        servers: [{ url: expect.stringContaining('/max-cut/1.0.0') }],
      });
      expect(specification.text).not.toMatch(/hidden-value/);
      expect(found.text).not.toMatch(/hidden-value|sourceDigest|environment/);
      const [entry] = await grace.client.browseMarketplace();
      expect(entry).toMatchObject({ serviceId: service.id, pricing: ['FREE', 'COMMERCIAL', 'ON_REQUEST'] });
    });

    test('nobody else does: without credentials 401, before approval 403', async () => {
      await provider.client.publishListing({ serviceId: service.id, json: listing() });
      const waiting = await kethub.signIn('waiting');
      await kethub.kethub.platform.database.write((transaction) =>
        transaction.updateTable('identities').set({ status: 'PENDING' }).where('username', '=', 'waiting').execute(),
      );
      const one = `/marketplace/services/${service.id}`;
      for (const path of ['/marketplace/services', one, `${one}/api-specification`]) {
        expect(codeOf(await ask(null, 'GET', path))).toBe('401 not-authenticated');
        expect(codeOf(await ask(waiting.loginSession, 'GET', path))).toBe('403 not-approved');
      }
    });

    test('what is not offered, or whose end is announced, is not there, and cannot be offered', async () => {
      const path = `/marketplace/services/${service.id}`;
      expect(codeOf(await ask(grace.loginSession, 'GET', path))).toBe('404 not-found');
      await provider.client.publishListing({ serviceId: service.id, json: listing() });
      const retirement = `/services/${service.id}/versions/1.0.0/retirement`;
      const sunset = '2999-01-01T00:00:00Z';
      expect((await ask(provider.loginSession, 'PUT', retirement, { sunset })).status).toBe(200);
      expect(codeOf(await ask(grace.loginSession, 'GET', path))).toBe('404 not-found');
      expect(await titles()).toEqual([]);
      expect(codeOf(await put(provider.loginSession, listing()))).toBe('409 conflict');
      expect((await ask(provider.loginSession, 'DELETE', retirement)).status).toBe(200);
      expect(await titles()).toEqual(['Max Cut']);
    });

    test('search takes every character literally and ignores case', async () => {
      await listedCopies([
        ['100% classical', 'all of it'],
        ['snake_case', 'names'],
        ['STRASSE', 'a road'],
        ['Quote "this"', 'and that'],
        ['Back\\slash', 'x'],
      ]);
      expect(await titles({ q: '%' })).toEqual(['100% classical']);
      expect(await titles({ q: '0% cl' })).toEqual(['100% classical']);
      expect(await titles({ q: '_' })).toEqual(['snake_case']);
      expect(await titles({ q: 'e_c' })).toEqual(['snake_case']);
      expect(await titles({ q: 'straße' })).toEqual(['STRASSE']);
      expect(await titles({ q: '"this"' })).toEqual(['Quote "this"']);
      expect(await titles({ q: 'back\\slash' })).toEqual(['Back\\slash']);
      expect(await titles({ q: 'x OR y' })).toEqual([]);
      expect(await titles({ q: 'a ROAD' })).toEqual(['STRASSE']);
      for (const [q, found] of [
        ['ße', 'STRASSE'],
        ['k\\', 'Back\\slash'],
        ['"', 'Quote "this"'],
        ['RO', 'STRASSE'],
      ] as const)
        // prettier-ignore
        expect(await titles({ q })).toEqual([found]);
      expect(await titles({ q: 'zz' })).toEqual([]);
      expect(await titles({ q: 'a' })).toHaveLength(5);
      // Title and summary are adjacent in the index.
      expect(await titles({ q: 'casenames' })).toEqual([]);
      expect(await titles({ q: 'ada t' })).toHaveLength(5);
      expect(codeOf(await ask(grace.loginSession, 'GET', '/marketplace/services?q=%00'))).toBe('400 invalid-request');
      const long = 'x'.repeat(201);
      expect(codeOf(await ask(grace.loginSession, 'GET', `/marketplace/services?q=${long}`))).toBe(
        '400 invalid-request',
      );
    });

    test('a provider is found by the name it has now', async () => {
      const { body: lab } = await ask(provider.loginSession, 'POST', '/organizations', { name: 'Quantum Lab' });
      const headers = { 'x-organizationid': member(lab, 'id') };
      const owned = await published(provider.client, 'Owned');
      await ask(provider.loginSession, 'PUT', `/services/${owned.id}/owner`, {
        type: 'ORGANIZATION',
        id: member(lab, 'id'),
      });
      await ask(provider.loginSession, 'PUT', `/services/${owned.id}/listing`, listing(), headers);
      expect(await titles({ q: 'quantum lab' })).toEqual(['Owned']);
      await ask(provider.loginSession, 'PATCH', `/organizations/${member(lab, 'id')}`, { name: 'Photon House' });
      expect(await titles({ q: 'quantum lab' })).toEqual([]);
      expect(await titles({ q: 'ho' })).toEqual(['Owned']);
      const [entry] = await grace.client.browseMarketplace({ q: 'photon' });
      expect(entry?.provider.name).toBe('Photon House');
    });

    test('categories and pages narrow what is shown, and the link to the next page keeps them', async () => {
      await listedCopies(Array.from({ length: 5 }, (_, index) => [`Solver & more ${index}`, '']));
      await provider.client.publishListing({
        serviceId: service.id,
        json: listing({ categories: ['EDUCATION', 'FINANCE'] }),
      });
      expect(await titles({ category: 'FINANCE' })).toEqual(['Max Cut']);
      expect(await titles({ category: 'ENERGY' })).toEqual([]);
      await provider.client.publishListing({ serviceId: service.id, json: listing({ categories: [] }) });
      expect(await titles({ category: 'FINANCE' })).toEqual([]);
      const pages: string[][] = [];
      let next: string | undefined = `${api()}/marketplace/services?q=solver%20%26&category=OPTIMIZATION&limit=2`;
      while (next !== undefined) {
        const page = await ask(grace.loginSession, 'GET', next);
        pages.push((page.body as MarketplaceEntry[]).map(({ title }) => title.slice(-1)));
        next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
      }
      expect(pages).toEqual([['4', '3'], ['2', '1'], ['0']]);
    });

    test('a listing that is deleted with its service leaves nothing in the index', async () => {
      const gone = await published(provider.client, 'Gone Soon');
      const made: Listing = await provider.client.publishListing({
        serviceId: gone.id,
        json: listing({ title: 'Unmistakable' }),
      });
      expect(await titles({ q: 'unmistak' })).toEqual([made.title]);
      await provider.client.deleteService({ serviceId: gone.id });
      expect(await titles({ q: 'unmistak' })).toEqual([]);
      await provider.client.publishListing({ serviceId: service.id, json: listing() });
      expect(await titles({ q: 'unmistak' })).toEqual([]);
    });
  });
});
