import type { AuditEntry } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';

describe.each(databases())('the audit log on $name', (kind) => {
  let kethub: TestKethub;
  let personId: string;
  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    personId = (await kethub.client.getMe()).id;
  });
  afterAll(() => kethub.close());

  async function call(method: string, path: string, body?: object, organization?: string) {
    const response = await fetch(kethub.kethub.platform.addresses.api + path, {
      method,
      headers: {
        authorization: `Bearer ${kethub.loginSession}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(organization && { 'x-organizationid': organization }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, link: response.headers.get('link'), text, body: text && JSON.parse(text) };
  }
  const entries = async (query = '', organization?: string): Promise<AuditEntry[]> =>
    (await call('GET', `/audit-log${query}`, undefined, organization)).body as AuditEntry[];

  test('tokens of a person stand in the log of the person, without their values and names', async () => {
    const before = (await entries()).length;
    const created = await call('POST', '/me/access-tokens', { name: 'ada@example.org laptop' });
    const { id, value } = created.body as { id: string; value: string };
    const renewed = await call('PUT', '/me/access-tokens/default');
    const refused = await call('DELETE', '/me/access-tokens/01a1fd32-d765-71ab-ba39-25ede922012b');
    expect((await call('DELETE', `/me/access-tokens/${id}`)).status).toBe(204);
    expect([created.status, renewed.status, refused.status]).toEqual([200, 200, 404]);
    const all = await call('GET', '/audit-log');
    const recorded = (all.body as AuditEntry[]).slice(0, -before || undefined);
    expect(recorded.map(({ action }) => action)).toEqual([
      'access-token:delete',
      'access-token:renew',
      'access-token:create',
    ]);
    expect(recorded.map(({ actorId }) => actorId)).toEqual([personId, personId, personId]);
    expect(all.text).not.toContain(value.slice(8));
    expect(all.text).not.toMatch(/ket_pat_|laptop|@/);
  });

  test('it is searched by action and by resource, page by page', async () => {
    const { id } = (await call('POST', '/organizations', { name: 'Lab' })).body as { id: string };
    const invitation = async (name: string) =>
      (await call('POST', `/organizations/${id}/invitations`, { email: `${name}@example.org`, role: 'VIEWER' }))
        .body as { id: string };
    const first = await invitation('one');
    await invitation('two');
    await call('DELETE', `/organizations/${id}/invitations/${first.id}`);
    const actions = (list: AuditEntry[]) => list.map(({ action }) => action);
    expect(actions(await entries('?action=invitation:create', id))).toEqual(['invitation:create', 'invitation:create']);
    expect(actions(await entries(`?resourceId=${first.id}`, id))).toEqual(['invitation:delete', 'invitation:create']);
    expect(actions(await entries('', id)).at(-1)).toBe('organization:create');
    const page = await call('GET', '/audit-log?action=invitation:create&limit=1', undefined, id);
    const next = /<[^>]*\/api(\/audit-log[^>]*)>; rel="next"/.exec(page.link ?? '')?.[1] ?? '';
    const second = (await call('GET', next, undefined, id)).body as AuditEntry[];
    expect(actions(second)).toEqual(['invitation:create']);
    expect(second[0]?.id).not.toBe((page.body as AuditEntry[])[0]?.id);
    expect((await call('GET', '/audit-log?action=x%00', undefined, id)).status).toBe(400);
    expect((await call('GET', '/audit-log?resourceId=%00', undefined, id)).status).toBe(400);
    expect(JSON.stringify(await entries('', id))).not.toContain('@');
  });

  test('entries that are older than the configuration keeps are forgotten at the start', async () => {
    const { database, newId } = kethub.kethub.platform;
    const alone = { merged_under: null, times: 1, last_at: null };
    const who = { owner_type: 'USER' as const, owner_id: personId, actor_id: personId };
    const old = { ...who, ...alone, resource_id: 'x', detail: '{}' };
    const days = (number: number): number => Date.now() - number * 86_400_000;
    await database.write((transaction) =>
      transaction
        .insertInto('audit_entries')
        .values([
          { ...old, id: newId(), action: 'too:old', created_at: days(731) },
          { ...old, id: newId(), action: 'not:yet', created_at: days(729) },
        ])
        .execute(),
    );
    await kethub.restart();
    await expect.poll(async () => (await entries('?action=too:old')).length, { timeout: 20_000 }).toBe(0);
    expect(await entries('?action=not:yet')).toHaveLength(1);
  });
});
