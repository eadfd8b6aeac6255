import type { ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ketProcess as ket } from '@kethub/cli/testing/ket';
import { sqlite } from '@kethub/server/testing/databases';
import { startTestKethub, type TestKethub } from '@kethub/server/testing/kethub';
import { createTestRealm, hasKeycloak, type TestRealm } from '@kethub/server/testing/keycloak';

// Signing in with ket where a Keycloak knows the users, and deciding about them. Each ket is a process of its own,
// against a whole platform and a real Keycloak. The tests build on each other, in this order.

const username = 'grace';
const password = 'correct horse battery staple';

describe.skipIf(!hasKeycloak)('ket and a Keycloak', () => {
  let realm: TestRealm;
  let platform: TestKethub;
  let url: string;
  let home: string;

  beforeAll(async () => {
    if (!sqlite) throw new Error('There is nothing to test with');
    realm = await createTestRealm();
    platform = await startTestKethub(sqlite, { ...realm.settings, KETHUB_ADMINISTRATORS: username });
    url = new URL(platform.kethub.platform.addresses.api).origin;
    const person = { username, email: 'grace@example.org', firstname: 'Grace', lastname: 'Hopper' };
    await platform.kethub.identity.createUser({ ...person, password, status: 'APPROVED' });
    home = await mkdtemp(path.join(os.tmpdir(), 'ket-test-'));
  });
  afterAll(async () => {
    await platform.close();
    await realm.remove();
    await rm(home, { recursive: true });
  });

  const inHome = (args: readonly string[], input = '') => ket(args, { folder: home, input });

  test('a password is taken where the platform says, and a token of the platform is kept', async () => {
    const args = ['login', url, '--username', username, '--password-stdin', '--json'];
    expect((await inHome(args, 'wrong\n')).code).toBe(3);
    const { code, json } = await inHome(args, `${password}\n`);
    expect([code, json()]).toEqual([0, { url, username }]);
    expect((await inHome(['whoami'])).stdout).toBe(`grace (Grace Hopper) at ${url}\n`);
  });

  test('the browser goes to the form of Keycloak and comes back', async () => {
    let going: Promise<void> | undefined;
    const onOutput = (_process: ChildProcess, _stdout: string, stderr: string): void => {
      const address = /^ +(http\S+)$/m.exec(stderr)?.[1];
      if (address !== undefined) going ??= signInAtKeycloak(address);
    };
    const signedIn = await ket(['login', url, '--browser', '--json'], { folder: home, onOutput });
    await going;
    expect([signedIn.code, signedIn.json()]).toEqual([0, { url, username }]);
    expect((await inHome(['whoami'])).code).toBe(0);
  });

  test('an administrator approves somebody, and switches them off again', async () => {
    const person = { username: 'edsger', email: 'edsger@example.org', firstname: 'Edsger', lastname: 'Dijkstra' };
    const { id } = await platform.kethub.identity.createUser({ ...person, password, status: 'PENDING' });
    const pending = await inHome(['admin', 'registrations', '--status', 'PENDING', '--json']);
    expect(pending.json()).toMatchObject([{ id, username: 'edsger', status: 'PENDING' }]);
    expect((await inHome(['admin', 'approve', 'Edsger@example.org'])).stdout).toContain('is APPROVED.');
    expect((await inHome(['admin', 'reject', id])).code).toBe(7);
    expect((await inHome(['admin', 'disable', id])).stdout).toContain('switched off');
    expect(await platform.kethub.identity.find(id)).toMatchObject({ status: 'APPROVED', enabled: false });
  });
});

/** The steps of a user in a browser: opens the address, types, and is sent back to ket. */
async function signInAtKeycloak(address: string): Promise<void> {
  const page = await fetch(address);
  const cookie = page.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  const action = /action="([^"]+)"/.exec(await page.text())?.[1]?.replaceAll('&amp;', '&');
  if (action === undefined) throw new Error(`There is no form at ${address}`);
  const answer = await fetch(action, {
    method: 'POST',
    headers: { cookie },
    redirect: 'manual',
    body: new URLSearchParams({ username, password }),
  });
  await fetch(answer.headers.get('location') ?? '');
}
