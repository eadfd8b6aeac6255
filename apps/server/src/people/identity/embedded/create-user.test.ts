import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../../testing/databases.ts';
import { createTestPlatform, type TestPlatform } from '../../../testing/platform.ts';
import { createEmbeddedIdentity, isApproved, type Identity, type IdentityService } from '../index.ts';

const ada = {
  username: 'Ada',
  email: 'Ada@Example.org',
  firstname: 'Ada',
  lastname: 'Lovelace',
  password: 'correct horse',
  status: 'APPROVED',
} as const;

describe.each(databases())('users of the embedded provider on $name', ({ open }) => {
  let platform: TestPlatform;
  let identity: IdentityService;
  beforeAll(async () => {
    platform = await createTestPlatform(open);
    identity = await createEmbeddedIdentity(platform);
  });
  afterAll(async () => {
    await identity.close();
    await platform.close();
  });

  test('names are kept in lower case, and a name is taken once, whatever its case and kind', async () => {
    const created = await identity.createUser(ada);
    expect(created).toMatchObject({ username: 'ada', email: 'ada@example.org', emailVerified: true, enabled: true });
    expect(await identity.find(created.id)).toEqual(created);
    for (const other of [
      { username: 'ADA', email: 'other@example.org' },
      { username: 'other', email: 'ADA@example.org' },
      { username: 'ada@example.org', email: 'other@example.org' },
    ]) {
      await expect(identity.createUser({ ...ada, ...other })).rejects.toMatchObject({ code: 'conflict' });
    }
  });

  test('of two who take a name at once, one gets it', async () => {
    const twice = Array.from({ length: 2 }, () =>
      identity.createUser({ ...ada, username: 'grace', email: 'grace@example.org' }),
    );
    const outcomes = await Promise.allSettled(twice);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find((outcome) => outcome.status === 'rejected')?.reason).toMatchObject({ code: 'conflict' });
  });

  test('a user who is gone is not found, and can be deleted again', async () => {
    const { id } = await identity.createUser({ ...ada, username: 'joan', email: 'joan@example.org' });
    await identity.delete(id);
    await identity.delete(id);
    expect(await identity.find(id)).toBeNull();
  });
});

const approved: Identity = {
  id: '1',
  username: 'a',
  email: 'a@b',
  emailVerified: true,
  firstname: 'A',
  lastname: 'B',
  status: 'APPROVED',
  enabled: true,
};
test.each([
  [{}, true],
  [{ status: 'PENDING' }, false],
  [{ status: 'REJECTED' }, false],
  [{ emailVerified: false }, false],
  [{ enabled: false }, false],
] as const)('a user with %j is approved: %s', (change, yes) =>
  expect(isApproved({ ...approved, ...change })).toBe(yes),
);
