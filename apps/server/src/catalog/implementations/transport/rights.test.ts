import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { memberRoles, type Implementation, type MemberRole } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KethubProcess } from '../../../testing/child-process.ts';
import { databases, postgreSql } from '../../../testing/databases.ts';
import { freePort } from '../../../../../../script/free-port.ts';
import { FLUSH, packet } from '../../../testing/git-packets.ts';
import { RawGit } from '../../../testing/git-raw.ts';
import { startTestKethub, type TestKethub } from '../../../testing/kethub.ts';

/** Every address of a repository outside the platform interface, and the statuses by what the caller may do. */
const ADDRESSES = {
  'refs to fetch': { method: 'GET', path: '/info/refs?service=git-upload-pack', body: Buffer.alloc(0) },
  'refs to push': { method: 'GET', path: '/info/refs?service=git-receive-pack', body: Buffer.alloc(0) },
  fetch: {
    method: 'POST',
    path: '/git-upload-pack',
    body: Buffer.concat([packet('command=ls-refs\n'), FLUSH]),
  },
  push: { method: 'POST', path: '/git-receive-pack', body: FLUSH },
} as const;

/** Rights of a caller; NONE learns nothing. */
type May = 'PUSH' | 'READ' | 'NONE';

/** Statuses in the order of the addresses. An anonymous caller is asked for a password wherever a person is refused. */
const STATUSES: Readonly<Record<May, { readonly person: number[]; readonly nobody: number[] }>> = {
  PUSH: { person: [200, 200, 200, 200], nobody: [] },
  READ: { person: [200, 403, 200, 403], nobody: [200, 401, 200, 401] },
  NONE: { person: [404, 404, 404, 404], nobody: [401, 401, 401, 401] },
};
const INSTANCE_KEY = '22'.repeat(32);
const REFUSED = [401, 401, 401, 401];

type Repository = 'own' | 'shared' | 'public' | 'of the organization' | 'shared with the organization';
const repositories: readonly Repository[] = [
  'own',
  'shared',
  'public',
  'of the organization',
  'shared with the organization',
];

/** People by their part: members of a repository and of the organization have the role in their name. */
const people = [
  'ada',
  'stranger',
  'pending',
  ...memberRoles.flatMap((role) => [`member ${role}`, `inside ${role}`]),
] as const;

async function statusesOf(url: string, token: string): Promise<number[]> {
  const raw = new RawGit({ cloneUrl: url }, token);
  const statuses: number[] = [];
  for (const { method, path, body } of Object.values(ADDRESSES))
    statuses.push((await raw.ask(method, path, body, { 'git-protocol': 'version=2' })).status);
  return statuses;
}

describe.each(databases())('who may do what at the addresses of repositories on $name', (kind) => {
  let kethub: TestKethub;
  let organizationId: string;
  const tokens = new Map<string, string>();
  const ids = new Map<string, string>();
  const made = new Map<Repository, Implementation>();

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    for (const person of people) {
      const name = person.replaceAll(' ', '-').toLowerCase();
      const { client } = person === 'ada' ? kethub : await kethub.signIn(name);
      tokens.set(person, (await client.createAccessToken({ json: { name: 'git' } })).value ?? '');
      ids.set(person, (await client.getMe()).id);
    }
    const { database } = kethub.platform;
    await database.write((transaction) =>
      transaction.updateTable('identities').set({ status: 'PENDING' }).where('username', '=', 'pending').execute(),
    );
    organizationId = (await kethub.client.createOrganization({ json: { name: 'Lab' } })).id;
    for (const role of memberRoles)
      await database.write((transaction) =>
        transaction
          .insertInto('memberships')
          .values({ organization_id: organizationId, user_id: ids.get(`inside ${role}`) ?? '', role, created_at: 0 })
          .execute(),
      );
    for (const [index, name] of repositories.entries()) {
      const visibility = name === 'public' ? 'PUBLIC' : 'PRIVATE';
      const headers = name === 'of the organization' ? { 'x-organizationid': organizationId } : {};
      const json = { name: `r${index}`, visibility } as const;
      const one = await kethub.client.createImplementation({ json, headers });
      made.set(name, one);
      const path = { implementationId: one.id };
      if (name === 'shared' || name === 'public' || name === 'of the organization')
        for (const role of memberRoles) {
          const memberId = ids.get(`member ${role}`) ?? '';
          await kethub.client.putImplementationMember({
            ...path,
            memberType: 'USER',
            memberId,
            json: { role },
            headers,
          });
        }
      if (name === 'shared with the organization')
        await kethub.client.putImplementationMember({
          ...path,
          memberType: 'ORGANIZATION',
          memberId: organizationId,
          json: { role: 'MAINTAINER' },
        });
    }
  });
  afterAll(() => kethub.close());

  const urlOf = (repository: Repository) => made.get(repository)?.cloneUrl ?? '';
  const byRole = (role: MemberRole): May => (role === 'VIEWER' ? 'READ' : 'PUSH');

  function expected(repository: Repository, person: string): May {
    const [part, role] = person.split(' ') as [string, MemberRole];
    const everybody: May = repository === 'public' ? 'READ' : 'NONE';
    // She has made every repository, and is an owner of the organization.
    if (part === 'ada') return 'PUSH';
    if (part === 'member')
      return ['shared', 'public', 'of the organization'].includes(repository) ? byRole(role) : everybody;
    if (part === 'inside')
      return ['of the organization', 'shared with the organization'].includes(repository) ? byRole(role) : everybody;
    return everybody;
  }

  describe.each(repositories)('a repository that is %s', (repository) => {
    test.each(people.filter((person) => person !== 'pending'))('%s', async (person) => {
      const found = await statusesOf(urlOf(repository), tokens.get(person) ?? '');
      expect(found).toEqual(STATUSES[expected(repository, person)].person);
    });

    test('nobody', async () => {
      const may = repository === 'public' ? 'READ' : 'NONE';
      expect(await statusesOf(urlOf(repository), '')).toEqual(STATUSES[may].nobody);
    });

    test('a person whose registration waits: 403, whatever they could do', async () => {
      expect(await statusesOf(urlOf(repository), tokens.get('pending') ?? '')).toEqual([403, 403, 403, 403]);
    });
  });

  test('a repository that does not exist is like one that is hidden', async () => {
    const url = urlOf('own').replace(/[^/]+\.git$/, 'none.git');
    expect(await statusesOf(url, tokens.get('ada') ?? '')).toEqual(STATUSES.NONE.person);
    expect(await statusesOf(url, '')).toEqual(STATUSES.NONE.nobody);
  });

  test('an expired, a deleted, a damaged and a scoped token, and a session in its place, are refused', async () => {
    const { client, loginSession, platform } = kethub;
    const expired = await client.createAccessToken({ json: { name: 'expired' } });
    await platform.database.write((transaction) =>
      transaction.updateTable('access_tokens').set({ expires_on: '2020-01-01' }).where('id', '=', expired.id).execute(),
    );
    const deleted = await client.createAccessToken({ json: { name: 'deleted' } });
    expect(await statusesOf(urlOf('own'), deleted.value ?? '')).toEqual(STATUSES.PUSH.person);
    await client.deleteAccessToken({ id: deleted.id });
    for (const token of [expired.value, deleted.value, `${expired.value}x`, loginSession])
      expect(await statusesOf(urlOf('public'), token ?? '')).toEqual(REFUSED);
    const expiresAt = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
    const scope = { operations: ['implementation:read' as const] };
    const scoped = await client.createAccessToken({ json: { name: 'scoped', expiresAt, scope } });
    expect(await statusesOf(urlOf('own'), scoped.value ?? '')).toEqual([403, 403, 403, 403]);
  });

  test('a former name has the same rights', async () => {
    const before = await kethub.client.createImplementation({ json: { name: 'before' } });
    await kethub.client.updateImplementation({ implementationId: before.id, json: { name: 'after' } });
    expect(await statusesOf(before.cloneUrl, tokens.get('stranger') ?? '')).toEqual(STATUSES.NONE.person);
    expect(await statusesOf(before.cloneUrl, tokens.get('ada') ?? '')).toEqual(STATUSES.PUSH.person);
  });
});

describe.each(postgreSql)('rights on another process on $name', (kind) => {
  let kethub: TestKethub;
  let git: KethubProcess;
  let folder: string;
  let port: number;

  beforeAll(async () => {
    kethub = await startTestKethub(kind, { KETHUB_INSTANCE_KEY: INSTANCE_KEY });
    folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-git-role-'));
    port = await freePort();
    const { configuration, addresses } = kethub.platform;
    git = new KethubProcess(
      {
        DATABASE_URL: configuration.databaseUrl ?? '',
        KETHUB_BLOBS: path.join(kethub.dataDir, 'blobs'),
        KETHUB_INSTANCE_KEY: INSTANCE_KEY,
        KETHUB_PUBLIC_URL: new URL(addresses.api).origin,
        KETHUB_GATEWAY_URL: addresses.gateway,
        KETHUB_ROLES: 'git',
        KETHUB_PORT: String(port),
        KETHUB_DATA_DIR: folder,
        KETHUB_LOG_LEVEL: 'debug',
      },
      port,
    );
    await git.ready();
  });
  afterAll(async () => {
    await git.end();
    await kethub.close();
    await rm(folder, { recursive: true });
  });

  test('a role, a visibility, a token and an account that end do so there at the next request', async () => {
    const { client } = kethub;
    const made = await client.createImplementation({ json: { name: 'far' } });
    const url = new URL(made.cloneUrl);
    url.port = String(port);
    const ben = await kethub.signIn('ben');
    const benId = (await ben.client.getMe()).id;
    const token = await ben.client.createAccessToken({ json: { name: 'git' } });
    const look = (of: string = token.value ?? '') => statusesOf(url.href, of);
    const implementationId = made.id;
    const member = { implementationId, memberType: 'USER' as const, memberId: benId };
    expect(await look()).toEqual(STATUSES.NONE.person);
    await client.putImplementationMember({ ...member, json: { role: 'MAINTAINER' } });
    expect(await look()).toEqual(STATUSES.PUSH.person);
    await client.putImplementationMember({ ...member, json: { role: 'VIEWER' } });
    expect(await look()).toEqual(STATUSES.READ.person);
    await client.removeImplementationMember(member);
    expect(await look()).toEqual(STATUSES.NONE.person);
    await client.updateImplementation({ implementationId, json: { visibility: 'PUBLIC' } });
    expect(await look()).toEqual(STATUSES.READ.person);
    expect(await look('')).toEqual(STATUSES.READ.nobody);
    await client.updateImplementation({ implementationId, json: { visibility: 'PRIVATE' } });
    expect(await look('')).toEqual(STATUSES.NONE.nobody);
    await client.putImplementationMember({ ...member, json: { role: 'OWNER' } });
    expect(await look()).toEqual(STATUSES.PUSH.person);
    await ben.client.deleteAccessToken({ id: token.id });
    expect(await look()).toEqual(REFUSED);
    const { defaultToken } = await ben.client.listAccessTokens();
    expect(await look(defaultToken)).toEqual(STATUSES.PUSH.person);
    await kethub.platform.database.write((transaction) =>
      transaction.updateTable('identities').set({ status: 'PENDING' }).where('id', '=', benId).execute(),
    );
    expect(await look(defaultToken)).toEqual([403, 403, 403, 403]);
  });
});
