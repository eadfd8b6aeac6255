import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { databases, type TestDatabase } from '../../testing/databases.ts';
import { openDatabase } from './open-database.ts';

describe.each(databases().filter(({ name }) => name === 'PostgreSQL'))('a wrong DATABASE_URL on $name', (kind) => {
  let opened: TestDatabase;
  beforeEach(async () => {
    opened = await kind.open();
  });
  afterEach(() => opened.close());

  /** The words with which a changed address is refused. Another error than a refusal fails the test. */
  async function refusal(change: (url: URL) => void): Promise<string> {
    const url = new URL(opened.address.databaseUrl ?? '');
    url.password = 's3cret';
    change(url);
    const failed = await openDatabase({ databaseUrl: url.href, sqliteFile: '' }).catch((error: unknown) => error);
    expect(failed).toMatchObject({ name: 'Refusal' });
    const { message } = failed as Error;
    expect(message).not.toContain('s3cret');
    return message;
  }

  test('a database that does not exist is named', async () => {
    const message = await refusal((url) => (url.pathname = '/nowhere'));
    expect(message).toContain('database "nowhere"');
    expect(message).toMatch(/Create the database, or correct its name\.$/);
  });

  test('a user that the server does not know is named', async () => {
    const message = await refusal((url) => (url.username = 'nobody'));
    expect(message).toContain('user "nobody"');
    expect(message).toMatch(/Correct the user/);
  });

  test('a port at which nobody listens, and a host that has no name, are named', async () => {
    const closed = net.createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    expect(await refusal((url) => (url.port = String(port)))).toMatch(
      new RegExp(`PostgreSQL at [^ ]+:${port} cannot be used .*Correct host and port`),
    );
    expect(await refusal((url) => (url.hostname = 'nowhere.invalid'))).toMatch(/nowhere\.invalid.*Correct the host/);
  });
});

test('an address that cannot be read is refused without showing it', async () => {
  const databaseUrl = 'postgres://kethub:s3cret/with@slash@host:port/kethub';
  const failed = await openDatabase({ databaseUrl, sqliteFile: '' }).catch((error: unknown) => error);
  expect(failed).toMatchObject({ name: 'Refusal', message: expect.stringContaining('DATABASE_URL is no address') });
  expect(JSON.stringify([failed, (failed as Error).stack, (failed as Error).cause])).not.toContain('s3cret');
});
