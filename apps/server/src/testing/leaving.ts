import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'kysely';
import sharp from 'sharp';
import type { TestAccounts } from './accounts.ts';

/** A user with rows in every table that can hold a user. */
export interface Settled {
  readonly id: string;
  readonly username: string;
  readonly session: string;
  readonly refreshToken: string;
  readonly token: string;
}

/** Adds a person with a profile, an image, tokens and idempotency records. */
export async function settle(server: TestAccounts, username: string): Promise<Settled> {
  const { id } = await server.addUser(username, { lastname: `Of-${username}` });
  const { access_token: session, refresh_token: refreshToken } = await server.signIn(username);
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { 'idempotency-key': `${method} ${path}` };
    const response = await server.call(method, path, session, body, headers);
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return response.status === 204 ? null : ((await response.json()) as { value: string });
  };
  await call('PUT', '/me', { about: `${username} was here` });
  await call('GET', '/me/access-tokens');
  const created = await call('POST', '/me/access-tokens', { name: username });
  const body = new FormData();
  body.set('file', new Blob([new Uint8Array(await image)]), 'me.png');
  const headers = { authorization: `Bearer ${session}` };
  await fetch(`${server.platform.addresses.api}/me/profile-image`, { method: 'POST', headers, body });
  const token = created?.value ?? '';
  await server.call('GET', '/me', token);
  return { id, username, session, refreshToken, token };
}

const image = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
  .png()
  .toBuffer();

/** Lists the tables that hold the id or the name of the person. */
export async function traces({ platform }: TestAccounts, { id, username }: Settled): Promise<string[]> {
  const { read } = platform.database;
  const found: string[] = [];
  for (const { name } of await read.introspection.getTables()) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(read);
    const own = rows.filter((row) => [id, username].some((part) => JSON.stringify(row).includes(part)));
    if (own.length > 0) found.push(name);
  }
  return found.toSorted();
}

export async function countBlobs({ platform }: TestAccounts): Promise<number> {
  const folder = path.join(platform.configuration.dataDir, 'blobs');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}
