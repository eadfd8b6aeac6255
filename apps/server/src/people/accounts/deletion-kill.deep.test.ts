import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalogs, startTestAccounts, type TestAccounts } from '../../testing/accounts.ts';
import { databases } from '../../testing/databases.ts';
import type { DyingPlatform } from '../../testing/dying-platform.ts';
import { countBlobs, settle, traces } from '../../testing/leaving.ts';
import { createAccounts } from './index.ts';
import { nameProvider } from '../../catalog/marketplace/index.ts';

const PROGRAM = path.join(import.meta.dirname, '../../testing/dying-platform.ts');
/** More than there are. */
const MOST_STEPS = 40;

describe.each(databases())('kill -9 of the process that deletes an account, on $name', ({ name, open }) => {
  let server: TestAccounts;
  beforeAll(async () => {
    server = await startTestAccounts(open);
  });
  afterAll(() => server.close());

  /** Sends DELETE /me to a process of its own that kills itself at this step. Null when it was killed. */
  async function deleteAndDie(session: string, dieAt: number): Promise<number | null> {
    const { platform } = server;
    const { dataDir, instanceKey } = platform.configuration;
    const { address } = platform.testDatabase;
    const settings: DyingPlatform = {
      ...address,
      dataDir,
      instanceKey: instanceKey ?? '',
      addresses: platform.addresses,
      dieAt,
    };
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(settings)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    const crashed = ended.then(() => Promise.reject(new Error('The process ended before it listened')));
    const [line] = (await Promise.race([once(child.stdout, 'data'), crashed])) as [Buffer];
    crashed.catch(() => undefined);
    const headers = { authorization: `Bearer ${session}` };
    const url = `${line.toString().trim()}/api/me`;
    const answer = await fetch(url, { method: 'DELETE', headers }).catch(() => null);
    if (answer) child.kill('SIGKILL');
    expect((await ended)[1]).toBe('SIGKILL');
    return answer?.status ?? null;
  }

  /** Returns whether the platform finishes the deletion after this step, rather than a retry: each on one of the databases. */
  const isFinishedByItself = (step: number): boolean => (step % 2 === 0) === (name === 'SQLite');

  test(
    'between any two steps: all is there or nothing is found, and a retry or the platform itself leaves nothing',
    { timeout: 300_000 },
    async () => {
      const blobs = await countBlobs(server);
      const seen = new Set<string>();
      let step = 0;
      for (let status: number | null = null; status === null;) {
        step += 1;
        expect(step).toBeLessThan(MOST_STEPS);
        const person = await settle(server, `dies-${step}`);
        const before = await traces(server, person);
        status = await deleteAndDie(person.session, step);
        const after = await traces(server, person);
        seen.add(JSON.stringify([after.length, await countBlobs(server)]));
        const begun = after.includes('account_deletions');
        if (begun) expect(['account_deletions', 'identities', 'oidc_records']).toEqual(expect.arrayContaining(after));
        else expect([after, await countBlobs(server)]).toEqual([before, blobs + 1]);
        if (begun && isFinishedByItself(step)) await finishByItself(person.id);
        else expect((await server.call('DELETE', '/me', person.session)).status).toBe(204);
        expect(await traces(server, person)).toEqual(['account_deletions']);
        expect(await countBlobs(server)).toBe(blobs);
        expect((await server.call('GET', '/me', person.session)).status).toBe(401);
      }
      // Nothing done; rows gone; image gone as well; identity gone as well.
      expect(seen.size).toBe(4);
      expect(step).toBeGreaterThan(10);
    },
  );

  async function finishByItself(id: string): Promise<void> {
    const accounts = createAccounts(server.platform, server.identity, catalogs, nameProvider);
    accounts.start();
    const { read } = server.platform.database;
    const note = read.selectFrom('account_deletions').select('ended_at').where('user_id', '=', id);
    const endedAt = async () => (await note.executeTakeFirst())?.ended_at;
    await expect.poll(endedAt, { timeout: 30_000 }).toEqual(expect.any(Number));
    await accounts.close();
  }
});
