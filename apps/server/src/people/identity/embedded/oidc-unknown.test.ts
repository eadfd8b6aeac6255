import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestAccounts, type TestAccounts } from '../../../testing/accounts.ts';
import { sqlite } from '../../../testing/databases.ts';

let server: TestAccounts;
beforeAll(async () => {
  server = await startTestAccounts(sqlite.open);
});
afterAll(() => server.close());

const get = (path: string, accept: string) =>
  fetch(`${server.platform.addresses.auth}${path}`, { headers: { accept } });

test('an unknown address below {auth_url} is a problem for a program, a page for a browser', async () => {
  const problem = await get('/nowhere?email=ada@example.org', '*/*');
  expect(problem.status).toBe(404);
  expect(problem.headers.get('content-type')).toContain('application/problem+json');
  expect(await problem.json()).toMatchObject({
    type: `${server.platform.addresses.problems}/not-found`,
    instance: '/auth/nowhere',
  });
  const page = await get('/<b>', 'text/html,application/xhtml+xml');
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await page.text()).not.toContain('<b>');
});

test('what the provider itself refuses stays as it is', async () => {
  const wrong = await get('/authorize?client_id=nobody', 'application/json');
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('This did not work')]);
});

test('the description shows that POST /authorize takes a token', () => {
  const { paths } = server.app.swagger() as { paths: Record<string, Record<string, { security?: unknown }>> };
  expect(paths['/authorize']?.['post']?.security).toEqual([{ apiKey: [] }]);
});
