import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { PASSWORD, startTestAccounts } from '../../testing/accounts.ts';
import { databases } from '../../testing/databases.ts';

test.each(databases())('no password and no token is ever in the log, on $name', async ({ open }) => {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  const server = await startTestAccounts(open, { log: pino({ level: 'trace' }, stream) });
  onTestFinished(() => server.close());
  await server.addUser('ada');
  const session = await server.signIn('ada');
  const secrets = [PASSWORD, session.access_token, session.refresh_token];

  await server.token({ grant_type: 'password', username: 'ada', password: 'wrong-but-close' });
  await server.token({ grant_type: 'refresh_token', refresh_token: session.refresh_token });
  await server.token({ grant_type: 'refresh_token', refresh_token: session.refresh_token });
  await server.call('GET', '/me', session.access_token);
  const created = await server.call('POST', '/me/access-tokens', session.access_token, { name: 'x' });
  const { id, value } = (await created.json()) as { id: string; value: string };
  const list = await server.call('GET', '/me/access-tokens', session.access_token);
  const { defaultToken } = (await list.json()) as { defaultToken: string };
  const renewed = await server.call('PUT', '/me/access-tokens/default', session.access_token);
  const { defaultToken: renewedToken } = (await renewed.json()) as { defaultToken: string };
  for (const token of [value, defaultToken, renewedToken, 'ket_pat_malformed']) {
    await server.call('GET', '/me', token);
    await server.call('POST', '/authorize', token);
    await server.call('GET', '/me/access-tokens', token);
  }
  await server.call('GET', `/${value}?token=${value}`, value);
  await server.call('GET', '/me', `${session.access_token}x`);
  await server.call('POST', '/me/access-tokens', session.access_token, { name: '', value });
  await server.call('DELETE', `/me/access-tokens/${id}`, session.access_token);
  // A failure inside, with all its details.
  await server.platform.database.write((transaction) =>
    transaction.updateTable('access_tokens').set({ sealed_value: 'damaged' }).execute(),
  );
  expect((await server.call('GET', '/me/access-tokens', session.access_token)).status).toBe(500);
  const log = lines.join('');
  expect(log).toContain('"route":"/api/authorize"');
  expect(log).toContain('internal');
  for (const secret of [...secrets, 'wrong-but-close', value, defaultToken, renewedToken]) {
    expect(log).not.toContain(secret);
  }
  expect(log).not.toContain('ada@example.org');
});
