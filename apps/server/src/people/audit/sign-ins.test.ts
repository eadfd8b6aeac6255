import { describe, expect, onTestFinished, test } from 'vitest';
import { PASSWORD } from '../../testing/accounts.ts';
import { databases } from '../../testing/databases.ts';
import { createTestPlatform } from '../../testing/platform.ts';
import { createUser } from '../identity/embedded/create-user.ts';
import { Attempts } from '../identity/base/attempts.ts';
import { accountOf, createSignIn } from '../identity/embedded/sign-in.ts';
import { forgetOldEntries } from './keep.ts';
import { audit, ownContext } from './record.ts';
import { SignInRecords } from './sign-ins.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

describe.each(databases())('sign-ins in the audit log on $name', ({ open }) => {
  async function start() {
    let now = Date.UTC(2026, 0, 1, 12);
    const platform = await createTestPlatform(open, { now: () => now });
    onTestFinished(() => platform.close());
    const person = { firstname: 'Ada', lastname: 'Lovelace', password: PASSWORD, status: 'APPROVED' } as const;
    const { id } = await createUser(platform, { ...person, username: 'ada', email: 'ada@example.org' });
    const records = new SignInRecords(platform, accountOf(platform));
    const entries = async () => {
      const rows = await platform.database.read
        .selectFrom('audit_entries')
        .selectAll()
        .where('owner_id', '=', id)
        .orderBy('id')
        .execute();
      return rows.map(({ action, actor_id, times, detail }) => {
        const { outcome, network } = JSON.parse(detail) as { outcome?: string; network?: string };
        return { action, actor: actor_id === id ? 'ada' : actor_id, times, outcome, network };
      });
    };
    return { platform, id, records, entries, pass: (ms: number) => void (now += ms) };
  }

  test('good and wrong ones, and those of somebody who is switched off, are counted by network', async () => {
    const { platform, id, records, entries } = await start();
    const signIn = createSignIn(platform, new Attempts(platform), records);
    await signIn('ada', PASSWORD, '192.0.2.1');
    await signIn('Ada@example.org', PASSWORD, '192.0.2.1');
    await signIn('ada', 'wrong', '198.51.100.7');
    await signIn('ada', 'wrong', '198.51.100.7');
    await signIn('nobody', 'wrong', '198.51.100.7');
    await platform.database.write((transaction) =>
      transaction.updateTable('identities').set({ enabled: 0 }).where('id', '=', id).execute(),
    );
    await signIn('ada', PASSWORD, null);
    await records.flush();
    expect(await entries()).toEqual([
      { action: 'session:sign-in', actor: 'ada', times: 2, outcome: 'SIGNED_IN', network: '192.0.2.1' },
      { action: 'session:refuse', actor: 'unknown', times: 2, outcome: 'WRONG_PASSWORD', network: '198.51.100.7' },
      { action: 'session:refuse', actor: 'unknown', times: 1, outcome: 'SWITCHED_OFF', network: 'unknown' },
    ]);
  });

  test('a flood from many networks under many names adds a handful of entries and pushes none out', async () => {
    const { platform, id, records, entries } = await start();
    await platform.database.write((transaction) =>
      audit(platform, transaction, ownContext(id), 'access-token:create', 'token'),
    );
    await records.signedIn(id, '192.0.2.1');
    for (let round = 0; round < 3_000; round += 1) {
      const address = `198.51.${round >> 8}.${round & 255}`;
      records.refused(`nobody-${round}`, 'TOO_MANY', address);
      if (round % 10 === 0) records.refused('ada', 'WRONG_PASSWORD', address);
    }
    await records.flush();
    const all = await entries();
    expect(all.slice(0, 2).map(({ action }) => action)).toEqual(['access-token:create', 'session:sign-in']);
    const refused = all.filter(({ action }) => action === 'session:refuse');
    expect(refused).toHaveLength(21);
    expect(refused.reduce((sum, { times }) => sum + times, 0)).toBe(300);
    expect(refused.find(({ network }) => network === 'other networks')?.times).toBe(280);
  });

  test('processes count together, and each day anew; age alone removes entries', async () => {
    const { platform, id, records, entries, pass } = await start();
    const other = new SignInRecords(platform, accountOf(platform));
    await Promise.all([1, 2, 3, 4, 5, 6].map((round) => (round % 2 ? records : other).signedIn(id, '192.0.2.1')));
    expect(await entries()).toMatchObject([{ times: 6 }]);
    pass(DAY_MS);
    await records.signedIn(id, '192.0.2.1');
    expect(await entries()).toMatchObject([{ times: 6 }, { times: 1 }]);
    pass(729.75 * DAY_MS);
    await forgetOldEntries(platform)();
    expect(await entries()).toMatchObject([{ times: 1 }]);
  });
});
