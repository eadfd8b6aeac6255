import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestAccounts, type TestAccounts } from '../../testing/accounts.ts';
import { databases } from '../../testing/databases.ts';
import { registrationOf } from './registration-status.ts';

describe.each(databases())('GET /user-registration-status on $name', ({ open }) => {
  let server: TestAccounts;
  beforeAll(async () => {
    server = await startTestAccounts(open);
  });
  afterAll(() => server.close());

  const ask = (email: string, credential: string | null) =>
    server.call('GET', `/user-registration-status?email=${encodeURIComponent(email)}`, credential);

  test.each([
    ['APPROVED', { status: 'APPROVED' }],
    ['PENDING', { status: 'PENDING' }],
    ['REJECTED', { status: 'REJECTED' }],
    ['EMAIL_NOT_VERIFIED', { status: 'PENDING', email_verified: 0 }],
  ] as const)('the status %s is shown to the person and to others', async (status, fields) => {
    const name = status.toLowerCase();
    const { id } = await server.addUser(name);
    const { access_token } = await server.signIn(name);
    await server.platform.database.write((transaction) =>
      transaction.updateTable('identities').set(fields).where('id', '=', id).execute(),
    );
    await server.addUser(`other-${name}`);
    const other = await server.signIn(`other-${name}`);
    for (const credential of [access_token, other.access_token]) {
      const response = await ask(`${name.toUpperCase()}@Example.org`, credential);
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ status, message: expect.any(String) });
    }
  });

  test('a registration that nobody has confirmed is found by approved users, as at a Keycloak, and by no others', async () => {
    const person = { username: 'unconfirmed', firstname: 'U', lastname: 'N', password_hash: 'x', created_at: 1 };
    const email = 'unconfirmed@example.org';
    await server.platform.database.write((transaction) =>
      transaction
        .insertInto('registrations')
        .values({ id: server.platform.newId(), ...person, email })
        .execute(),
    );
    await server.addUser('approved-asker');
    await server.addUser('pending-asker', { status: 'PENDING' });
    const [approved, pending] = [await server.signIn('approved-asker'), await server.signIn('pending-asker')];
    expect(await (await ask(email.toUpperCase(), approved.access_token)).json()).toMatchObject({
      status: 'EMAIL_NOT_VERIFIED',
    });
    expect(await (await ask(email, pending.access_token)).json()).toMatchObject({ status: 'NOT_FOUND' });
  });

  test('who is not approved finds nobody else', async () => {
    await server.addUser('sought');
    await server.addUser('curious', { status: 'PENDING' });
    const { access_token } = await server.signIn('curious');
    const answers = await Promise.all(['sought', 'nobody'].map((name) => ask(`${name}@example.org`, access_token)));
    const bodies = await Promise.all(answers.map((answer) => answer.json()));
    expect(bodies[0]).toMatchObject({ status: 'NOT_FOUND' });
    expect(bodies[0]).toEqual(bodies[1]);
    expect(await (await ask('curious@example.org', access_token)).json()).toMatchObject({ status: 'PENDING' });
  });

  test('an address of nobody is NOT_FOUND, a malformed one is refused, a stranger is not answered', async () => {
    await server.addUser('asker');
    const { access_token } = await server.signIn('asker');
    const response = await ask('nobody@example.org', access_token);
    expect(await response.json()).toEqual({ status: 'NOT_FOUND', message: expect.any(String) });
    for (const email of [
      '',
      'nobody',
      '@example.org',
      'a b@example.org',
      'a@b@c',
      `${'x'.repeat(320)}@example.org`,
      'a\0@b',
    ]) {
      expect([email, (await ask(email, access_token)).status]).toEqual([email, 400]);
    }
    expect((await server.call('GET', '/user-registration-status', access_token)).status).toBe(400);
    expect((await ask('asker@example.org', null)).status).toBe(401);
  });
});

test('an account that is switched off counts as rejected', () => {
  const person = { id: 'x', username: 'x', email: 'x@example.org', firstname: 'X', lastname: 'Y' };
  const approved = { ...person, emailVerified: true, status: 'APPROVED', enabled: true } as const;
  expect(registrationOf(approved).status).toBe('APPROVED');
  expect(registrationOf({ ...approved, enabled: false }).status).toBe('REJECTED');
});
