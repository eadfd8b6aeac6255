import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasKeycloak } from '../../../testing/keycloak.ts';
import { startRealmIdentity, type RealmIdentity } from '../../../testing/realm-identity.ts';
import { until } from '../../../testing/outbox.ts';
import { startTcpProxy } from '../../../testing/tcp-proxy.ts';
import type { Identity, IdentityService } from '../identity-provider.ts';

const patient = { timeout: 60_000, interval: 100 };

describe.skipIf(!hasKeycloak)('the copy of the people of a Keycloak', () => {
  let on: RealmIdentity;
  let way: Awaited<ReturnType<typeof startTcpProxy>>;
  let identity: IdentityService;
  let people: Identity[];
  beforeAll(async () => {
    on = await startRealmIdentity();
    way = await startTcpProxy(new URL(on.realm.origin));
    const issuer = on.realm.issuer.replace(on.realm.origin, way.origin);
    identity = on.connect({ KETHUB_OIDC_ISSUER: issuer });
    people = [];
    for (let count = 0; count < 5; count++) people.push(await on.addUser(count === 4 ? 'PENDING' : 'APPROVED'));
    const app = Fastify();
    await identity.serve(app);
    const rounds = on.platform.database.read.selectFrom('provider_rounds').select('complete_since');
    // Until then nobody can be looked up without being asked about.
    await until(async () => typeof (await rounds.executeTakeFirst())?.complete_since === 'number');
  });
  afterAll(async () => {
    await identity.close();
    await way.close();
    await on.close();
  });

  const ids = (): string[] => people.map(({ id }) => id);
  test('resolves 200 ids without a single call, unknown ones as well', async () => {
    way.behave('REFUSE');
    onTestFinished(() => way.behave('FORWARD'));
    const unknown = Array.from(
      { length: 195 },
      (_none, index) => `01a1fd32-d765-71ab-ba39-${String(index).padStart(12, '0')}`,
    );
    const found = await identity.findApproved([...ids(), ...unknown]);
    expect(found.map((person) => person?.username ?? null)).toEqual([
      ...people.slice(0, 4).map(({ username }) => username),
      null,
      ...unknown.map(() => null),
    ]);
  });

  test('what can be nobody’s id is nobody, without a call, and shifts no other', async () => {
    const odd = ['\ud800', 'x'.repeat(60_000), '', '..', 'a\0b', '\u0007'];
    const found = await identity.findApproved([ids()[0] ?? '', ...odd, ids()[1] ?? '']);
    expect(found.map((person) => person?.id ?? null)).toEqual([ids()[0], ...odd.map(() => null), ids()[1]]);
    expect(await on.connect().findApproved(odd)).toEqual(odd.map(() => null));
  });

  test('learns of new names, decisions and deletions at the Keycloak itself', async () => {
    const [renamed, rejected, gone] = [await on.addUser(), await on.addUser(), await on.addUser()];
    const seen = async () => {
      const found = await identity.findApproved([renamed.id, rejected.id, gone.id]);
      return found.map((person) => person?.lastname ?? null);
    };
    await expect.poll(seen, patient).toEqual(['Lovelace', 'Lovelace', 'Lovelace']);
    await on.change(renamed.id, { lastName: 'King' });
    await on.change(rejected.id, { attributes: { registrationStatus: ['REJECTED'] } });
    await on.realm.admin('DELETE', `/users/${gone.id}`);
    await expect.poll(seen, patient).toEqual(['King', null, null]);
  });

  test('learns at once of what the platform itself does', async () => {
    const { password: _none, ...person } = { password: '', ...(await on.addUser('PENDING')) };
    const approved = await identity.administration.change(person.id, person, { status: 'APPROVED', enabled: true });
    expect(approved?.status).toBe('APPROVED');
    expect((await identity.findApproved([person.id]))[0]?.id).toBe(person.id);
    await identity.delete(person.id);
    expect(await identity.findApproved([person.id])).toEqual([null]);
  });

  test('is not believed when it is old: then 503, never a no', async () => {
    way.behave('REFUSE');
    on.later = 10 * 60_000;
    onTestFinished(() => {
      way.behave('FORWARD');
      on.later = 0;
    });
    await expect(identity.findApproved(ids())).rejects.toMatchObject({ status: 503 });
  });
});
