import type { Implementation, ImplementationInvitation } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../../testing/databases.ts';
import { poolUser, type PoolUser } from '../../../testing/data-pools.ts';
import { startTestKethub, type TestKethub } from '../../../testing/kethub.ts';
import { mailsTo } from '../../../testing/outbox.ts';

describe.each(databases())('invitations to implementations on $name', (kind) => {
  let kethub: TestKethub;
  let ada: PoolUser;
  let ben: PoolUser;
  let made: Implementation;

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    ada = await poolUser(kethub, kethub.loginSession);
    ben = await poolUser(kethub, (await kethub.signIn('ben')).loginSession);
    made = (await ada.call('POST', '/implementations', { body: { name: 'evil.example' } })).body as Implementation;
  });
  afterAll(() => kethub.close());

  const invite = async (email: string, role = 'VIEWER'): Promise<ImplementationInvitation> => {
    const answer = await ada.call('POST', `/implementations/${made.id}/invitations`, { body: { email, role } });
    expect(answer.status).toBe(201);
    return answer.body as ImplementationInvitation;
  };

  test('whoever has the address finds the invitation, and becomes a member', async () => {
    const sent = await invite('Ben@Example.org', 'MAINTAINER');
    expect(sent).toMatchObject({ email: 'ben@example.org', implementationName: made.name, role: 'MAINTAINER' });
    expect((await ben.call('GET', '/implementation-invitations')).body).toEqual([sent]);
    expect((await ben.call('GET', `/implementations/${made.id}`)).status).toBe(404);
    const joined = await ben.call('POST', `/implementation-invitations/${sent.id}/acceptance`);
    expect(joined).toMatchObject({ status: 200, body: { id: made.id, role: 'MAINTAINER' } });
    expect((await ben.call('GET', `/implementations/${made.id}`)).body).toMatchObject({ role: 'MAINTAINER' });
    expect((await ben.call('POST', `/implementation-invitations/${sent.id}/acceptance`)).status).toBe(404);
    expect((await ben.call('GET', '/implementation-invitations')).body).toEqual([]);
    // A member keeps the role; the owner is none.
    const again = await invite('ben@example.org');
    const kept = await ben.call('POST', `/implementation-invitations/${again.id}/acceptance`);
    expect(kept.body).toMatchObject({ role: 'MAINTAINER' });
    const own = await invite('ada@example.org');
    const owner = await ada.call('POST', `/implementation-invitations/${own.id}/acceptance`);
    expect(owner.body).toMatchObject({ role: 'OWNER' });
    expect((await ada.call('GET', `/implementations/${made.id}/members`)).body).toHaveLength(1);
  });

  test('the mail says nothing that somebody could have typed', async () => {
    await invite('grace@example.org');
    const [mail, ...others] = await mailsTo(kethub.platform, 'grace@example.org');
    expect(others).toEqual([]);
    expect(mail?.subject).toBe('You are invited to an implementation at Kethub');
    expect(mail?.text).toContain('ket repo invitations');
    expect(mail?.text).not.toMatch(/evil|ada/i);
  });

  test('an invitation to another address is not found, and neither is one that was withdrawn, declined or is late', async () => {
    const eve = await poolUser(kethub, (await kethub.signIn('eve')).loginSession);
    const { id } = await invite('nobody@example.org');
    expect((await eve.call('POST', `/implementation-invitations/${id}/acceptance`)).status).toBe(404);
    expect((await eve.call('DELETE', `/implementation-invitations/${id}`)).status).toBe(404);
    const listed = (await ada.call('GET', `/implementations/${made.id}/invitations`)).body;
    expect(listed).toContainEqual(expect.objectContaining({ id }));
    expect((await ada.call('DELETE', `/implementations/${made.id}/invitations/${id}`)).status).toBe(204);
    expect((await ada.call('DELETE', `/implementations/${made.id}/invitations/${id}`)).status).toBe(404);
    const declined = await invite('eve@example.org');
    expect((await eve.call('DELETE', `/implementation-invitations/${declined.id}`)).status).toBe(204);
    const late = await invite('eve@example.org');
    await kethub.platform.database.write((transaction) =>
      transaction.updateTable('implementation_invitations').set({ expires_at: 1 }).where('id', '=', late.id).execute(),
    );
    expect((await eve.call('GET', '/implementation-invitations')).body).toEqual([]);
    expect((await eve.call('POST', `/implementation-invitations/${late.id}/acceptance`)).status).toBe(404);
  });

  test('an address that is not verified finds no invitation', async () => {
    const mallory = await poolUser(kethub, (await kethub.signIn('mallory')).loginSession);
    const { id } = await invite('mallory@example.org');
    await kethub.platform.database.write((transaction) =>
      transaction.updateTable('identities').set({ email_verified: 0 }).where('username', '=', 'mallory').execute(),
    );
    const answer = await mallory.call('POST', `/implementation-invitations/${id}/acceptance`);
    expect([403, 404]).toContain(answer.status);
  });

  test('invitations end with the implementation', async () => {
    const { id } = (await ada.call('POST', '/implementations', { body: { name: 'short' } })).body as Implementation;
    const body = { email: 'ben@example.org', role: 'VIEWER' };
    await ada.call('POST', `/implementations/${id}/invitations`, { body });
    expect((await ben.call('GET', '/implementation-invitations')).body).toHaveLength(1);
    await ada.call('DELETE', `/implementations/${id}`);
    expect((await ben.call('GET', '/implementation-invitations')).body).toEqual([]);
  });
});
