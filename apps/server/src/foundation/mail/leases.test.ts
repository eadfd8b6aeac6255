import { describe, expect, onTestFinished, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { createTestPlatform } from '../../testing/platform.ts';
import { claimMails, deferMail, insertMail } from './queries.ts';

describe.each(databases())('claims of mails on $name', ({ open }) => {
  test('belong to whoever came last, and none outlasts a clock that is set back', async () => {
    const { database, close, newId } = await createTestPlatform(open);
    onTestFinished(close);
    const mail = {
      id: newId(),
      sealed_content: '',
      created_at: 0,
      expires_at: 10 ** 15,
      due_at: 0,
      attempts: 0,
      recipient: null,
    };
    await database.write((transaction) => insertMail(transaction, mail));
    const claim = (now: number) => claimMails(database, { now, leaseEnd: now + 120_000, most: 5 });
    const [first] = await claim(10 ** 12);
    const [second] = await claim(10 ** 12 + 121_000);
    if (!first || !second) throw new Error('Not claimed');
    // The first mailer was paused, and resumes while the second delivers the mail.
    await deferMail(database, first, 1);
    expect(await claim(10 ** 12 + 122_000)).toEqual([]);
    await deferMail(database, second, 10 ** 12 + 600_000);
    expect(await claim(10 ** 12 + 130_000)).toEqual([]);
    // The clock is set back by a day.
    expect(await claim(10 ** 12 - 86_400_000)).toHaveLength(1);
  });
});
