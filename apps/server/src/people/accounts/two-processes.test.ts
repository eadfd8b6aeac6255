import { setTimeout as pause } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from 'kysely';
import { applicationEndpoints } from '../../catalog/applications/index.ts';
import { mount, platformLimits } from '../../foundation/http/index.ts';
import { serviceEndpoints } from '../../catalog/services/index.ts';
import type { Database } from '../../foundation/storage/index.ts';
import { catalogs, startTestAccounts, type TestAccounts } from '../../testing/accounts.ts';
import { databases } from '../../testing/databases.ts';
import { countBlobs, settle, traces } from '../../testing/leaving.ts';
import { createTestServer } from '../../testing/platform.ts';
import { zip } from '../../testing/zip.ts';
import { createAccounts, refusals, security } from './index.ts';
import { nameProvider } from '../../catalog/marketplace/index.ts';

/** Lets a test stop the other process before or inside a transaction. */
interface Gate {
  /** The transaction that waits, counted from 1, and where; null for none. */
  stopAt: { readonly transaction: number; readonly when: 'BEFORE' | 'INSIDE' } | null;
  /** Resolves when it waits. */
  reached: Promise<void>;
  open(): void;
}

/** On SQLite one process writes: there the other one shares its database. */
describe.each(databases())('two instances of the platform on one $name', ({ name, open }) => {
  let server: TestAccounts;
  let other: { origin: string; gate: Gate; close(): Promise<void> };
  beforeAll(async () => {
    server = await startTestAccounts(open);
    other = await second();
  });
  afterAll(async () => {
    await other.close();
    await server.close();
  });
  beforeEach(() => {
    other.gate.stopAt = null;
  });

  async function second() {
    const own = name === 'SQLite' ? server.platform.database : await server.platform.testDatabase.again();
    const { gate, database } = gated(own);
    const platform = { ...server.platform, database };
    const accounts = createAccounts(platform, server.identity, catalogs, nameProvider);
    const app = await createTestServer(platform);
    const { mailer } = server.identity;
    if (!mailer) throw new Error('The embedded identity provider sends mails');
    const endpoints = [...accounts.endpoints, ...applicationEndpoints(platform), ...serviceEndpoints(platform, mailer)];
    mount(app, endpoints, {
      prefix: '/api',
      admit: accounts.admit,
      security,
      refusals,
      limits: platformLimits(platform),
    });
    const origin = `${await app.listen({ host: '127.0.0.1', port: 0 })}/api`;
    const close = async () => {
      await app.close();
      await accounts.close();
      if (own !== server.platform.database) await own.close();
    };
    return { origin, gate, close };
  }
  const send = (session: string, method: string, path: string, body?: unknown) =>
    fetch(other.origin + path, {
      method,
      headers: {
        ...(session.startsWith('ket_pat_') ? { 'x-auth-token': session } : { authorization: `Bearer ${session}` }),
        ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
  const late: readonly (readonly [string, number, () => unknown])[] = [
    ['POST /applications', 1, () => ({ name: 'Late' })],
    ['POST /services', 1, serviceForm],
    ['POST /me/access-tokens', 1, () => ({ name: 'late' })],
    ['PUT /me/access-tokens/default', 1, () => undefined],
    ['PUT /me', 1, () => ({ about: 'late' })],
    // It notes the blob in a transaction before the one that puts it in place.
    ['POST /me/profile-image', 1, imageForm],
    ['POST /me/profile-image', 2, imageForm],
  ];
  test.each(late)(
    '%s that was admitted before DELETE /me and writes after it creates nothing',
    async (endpoint, at, body) => {
      const blobs = await countBlobs(server);
      const person = await settle(server, `late-${endpoint.replaceAll(/\W/g, '')}-${at}`.toLowerCase());
      const [method = '', path = ''] = endpoint.split(' ');
      other.gate.stopAt = { transaction: at, when: 'BEFORE' };
      const sent = send(person.session, method, path, await body());
      await other.gate.reached;
      expect((await server.call('DELETE', '/me', person.session)).status).toBe(204);
      other.gate.open();
      expect([401, 403]).toContain((await sent).status);
      expect(await traces(server, person)).toEqual(['account_deletions']);
      expect(await countBlobs(server)).toBe(blobs);
      expect(await server.platform.database.read.selectFrom('orphan_blobs').selectAll().execute()).toEqual([]);
    },
  );

  test('a first GET /me that writes after DELETE /me does not bring the record back', async () => {
    const { id } = await server.addUser('never-here');
    const { access_token } = await server.signIn('never-here');
    other.gate.stopAt = { transaction: 1, when: 'BEFORE' };
    const sent = send(access_token, 'GET', '/me');
    await other.gate.reached;
    expect((await server.call('DELETE', '/me', access_token)).status).toBe(204);
    other.gate.open();
    expect((await sent).status).toBe(403);
    const users = server.platform.database.read.selectFrom('users').select('id').where('id', '=', id);
    expect(await users.execute()).toEqual([]);
  });

  test('DELETE /me waits for an application that is being created, and then refuses', async () => {
    const person = await settle(server, 'creating');
    other.gate.stopAt = { transaction: 1, when: 'INSIDE' };
    const creating = send(person.session, 'POST', '/applications', { name: 'First' });
    await other.gate.reached;
    const deleting = server.call('DELETE', '/me', person.session);
    await waitsForLock(server.platform.database);
    other.gate.open();
    expect((await creating).status).toBe(201);
    const refused = await deleting;
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ detail: expect.stringContaining('application "First"') });
    expect((await send(person.token, 'GET', '/me')).status).toBe(200);
  });

  test('first GET /me that race on both create one record', async () => {
    const { id } = await server.addUser('twice-first');
    const { access_token } = await server.signIn('twice-first');
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_none, index) =>
        index % 2 ? send(access_token, 'GET', '/me') : server.call('GET', '/me', access_token),
      ),
    );
    const bodies = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(new Set(bodies).size).toBe(1);
    const users = server.platform.database.read.selectFrom('users').select('id').where('id', '=', id);
    expect(await users.execute()).toHaveLength(1);
  });

  test('a token deleted, rotated or gone with its user is refused at once on the other', async () => {
    const person = await settle(server, 'everywhere');
    const list = async () =>
      (await (await server.call('GET', '/me/access-tokens', person.session)).json()) as {
        defaultToken: string;
        accessTokens: { id: string; usedAt: string | null }[];
      };
    const { defaultToken, accessTokens } = await list();
    const opens = async (token: string) => [
      (await send(token, 'GET', '/me')).status,
      (await send(token, 'POST', '/authorize')).status,
    ];
    expect([await opens(person.token), await opens(defaultToken)]).toEqual([
      [200, 200],
      [200, 200],
    ]);
    await server.call('DELETE', `/me/access-tokens/${accessTokens[0]?.id}`, person.session);
    expect(await opens(person.token)).toEqual([401, 401]);
    const renewed = await server.call('PUT', '/me/access-tokens/default', person.session);
    const { defaultToken: next } = (await renewed.json()) as { defaultToken: string };
    expect([await opens(defaultToken), await opens(next)]).toEqual([
      [401, 401],
      [200, 200],
    ]);
    expect((await server.call('DELETE', '/me', person.session)).status).toBe(204);
    expect(await opens(next)).toEqual([401, 401]);
    expect((await send(person.session, 'GET', '/me')).status).toBe(401);
  });

  /**
   * On PostgreSQL somebody waits for the lock of an account; on SQLite the one writer is taken, which nobody can see.
   */
  async function waitsForLock({ read, dialect }: Database): Promise<void> {
    if (dialect === 'sqlite') return;
    const waiting = sql<{ count: number }>`
      select count(*) as count from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`;
    for (;;) {
      if (Number((await waiting.execute(read)).rows[0]?.count) > 0) return;
      await pause(5);
    }
  }
});

async function serviceForm(): Promise<FormData> {
  const form = new FormData();
  form.set('name', 'Late');
  form.set('source', await zip({ 'src/program.py': 'def run(): pass' }), 'x.zip');
  return form;
}

async function imageForm(): Promise<FormData> {
  const picture = sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } });
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(await picture.png().toBuffer())]), 'me.png');
  return form;
}

function gated(opened: Database): { gate: Gate; database: Database } {
  let arrived = Promise.withResolvers<void>();
  let opening = Promise.withResolvers<void>();
  let count = 0;
  let stopAt: Gate['stopAt'] = null;
  const gate: Gate = {
    get stopAt() {
      return stopAt;
    },
    set stopAt(next) {
      stopAt = next;
      count = 0;
      arrived = Promise.withResolvers<void>();
      opening = Promise.withResolvers<void>();
    },
    get reached() {
      return arrived.promise;
    },
    open: () => opening.resolve(),
  };
  const wait = async (transaction: number, when: 'BEFORE' | 'INSIDE') => {
    if (stopAt?.transaction !== transaction || stopAt.when !== when) return;
    arrived.resolve();
    await opening.promise;
  };
  const database: Database = {
    ...opened,
    async write(work) {
      const transaction = ++count;
      await wait(transaction, 'BEFORE');
      return opened.write(async (queries) => {
        const value = await work(queries);
        await wait(transaction, 'INSIDE');
        return value;
      });
    },
  };
  return { gate, database };
}
