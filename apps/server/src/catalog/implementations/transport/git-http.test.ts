import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Implementation } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../../testing/databases.ts';
import { GitClient, gitTokenOf } from '../../../testing/git-client.ts';
import { startTestKethub, type SignedIn, type TestKethub } from '../../../testing/kethub.ts';

const MOST_REFS = 1_000;

describe.each(databases())('Git over HTTP on $name', (kind) => {
  let kethub: TestKethub;
  let client: GitClient;
  let ben: SignedIn;
  const tokens = { ada: '', ben: '' };

  beforeAll(async () => {
    const limits = { KETHUB_REPOSITORY_MB: '8', KETHUB_PUSH_MB: '6', KETHUB_REPOSITORY_FILE_MB: '3' };
    kethub = await startTestKethub(kind, limits);
    client = await GitClient.open();
    ben = await kethub.signIn('ben');
    tokens.ada = await gitTokenOf(kethub.client);
    tokens.ben = await gitTokenOf(ben.client);
  });
  afterAll(async () => {
    await client.close();
    await kethub.close();
  });

  const create = (name: string, visibility: Implementation['visibility'] = 'PRIVATE') =>
    kethub.client.createImplementation({ json: { name, visibility } });
  const urlFor = (token: string, { cloneUrl }: Implementation) => cloneUrl.replace('://', `://ada:${token}@`);
  const read = ({ id }: Implementation) => kethub.client.getImplementation({ implementationId: id });
  /** Reads until the end of the last push has been recorded. */
  const readAt = async (made: Implementation, head: string | null): Promise<Implementation> => {
    for (;;) {
      const found = await read(made);
      if (found.head === head) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  /** Pushes in the audit log of the owner, oldest first, once there are so many. */
  const pushesOf = async ({ id }: Implementation, count: number) => {
    for (;;) {
      const pushes = await kethub.client.readAuditLog({ resourceId: id, action: 'implementation:pushed' });
      if (pushes.length >= count) return pushes.toReversed();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const filesOf = async ({ id }: Implementation): Promise<string[]> =>
    readdir(path.join(kethub.dataDir, 'repositories', id.slice(-2), `${id}.git`), { recursive: true });

  test('push, clone, fetch, branches, tags, force and deletion with every protocol', async () => {
    const made = await create('whole');
    const url = urlFor(tokens.ada, made);
    const first = await client.commit('whole', { 'src/program.py': 'def run(): pass\n', 'a.txt': '1' });
    await client.run('whole', 'push', '-q', url, 'main');
    expect(await readAt(made, first)).toMatchObject({ buildable: 'PYTHON_TEMPLATE', bytes: expect.any(Number) });
    for (const version of ['0', '1', '2']) {
      await client.run('', '-c', `protocol.version=${version}`, 'clone', '-q', url, `clone-${version}`);
      expect(await client.run(`clone-${version}`, 'rev-parse', 'HEAD')).toBe(first);
    }
    const second = await client.commit('whole', { Dockerfile: 'FROM scratch\n' });
    await client.run('whole', 'tag', '-a', 'v1.0.0', '-m', 'one');
    await client.run('whole', 'push', '-q', '--tags', url, 'main', 'main:feature/x');
    expect(await readAt(made, second)).toMatchObject({ buildable: 'DOCKER' });
    await client.run('clone-2', 'pull', '-q', '--tags');
    expect(await client.run('clone-2', 'describe')).toBe('v1.0.0');
    await client.run('', 'clone', '-q', '--depth', '1', url, 'shallow');
    expect(await client.run('shallow', 'rev-list', '--count', 'HEAD')).toBe('1');
    await client.run('', 'clone', '-q', '--filter=blob:none', url, 'partial');
    await client.run('whole', 'reset', '-q', '--hard', first);
    expect((await client.try('whole', 'push', '-q', url, 'main')).err).toContain('rejected');
    const protection = { defaultBranch: false, patterns: [] };
    await kethub.client.updateImplementation({ implementationId: made.id, json: { protection } });
    await client.run('whole', 'push', '-q', '--force', url, 'main');
    await readAt(made, first);
    await client.run('whole', 'push', '-q', url, ':feature/x', ':v1.0.0');
    expect(await client.run('whole', 'ls-remote', url)).not.toMatch(/feature|v1/);
    const main = (from: string | null, to: string) => ({ ref: 'refs/heads/main', from, to });
    const pushes = await pushesOf(made, 4);
    expect(pushes.map(({ detail }) => detail)).toEqual([
      { changes: 1, refs: [main(null, first)] },
      { changes: 3, refs: expect.arrayContaining([main(first, second)]) },
      { changes: 1, refs: [main(second, first)] },
      { changes: 2, refs: expect.arrayContaining([{ ref: 'refs/heads/feature/x', from: second, to: null }]) },
    ]);
    expect((await filesOf(made)).filter((name) => name.startsWith('kethub-index-'))).toEqual([]);
  });

  test('the audit log names the person of a push, and no more than a part of many changes', async () => {
    const made = await create('audited');
    const { id: memberId } = await ben.client.getMe({});
    await kethub.client.putImplementationMember({
      implementationId: made.id,
      memberType: 'USER',
      memberId,
      json: { role: 'MAINTAINER' },
    });
    await client.commit('audited', { 'a.txt': '1' });
    const branches = Array.from({ length: 30 }, (_, at) => `main:many/${at}`);
    await client.run('audited', 'push', '-q', urlFor(tokens.ben, made), ...branches);
    const [entry] = await pushesOf(made, 1);
    expect(entry).toMatchObject({ actorId: memberId, detail: { changes: 30 } });
    expect(entry?.detail['refs']).toHaveLength(20);
    // A push that is refused as a whole changes nothing, so the next entry is of the push after it.
    expect((await client.try('audited', 'push', '-q', urlFor(tokens.ada, made), 'main:refs/other/x')).code).not.toBe(0);
    await client.run('audited', 'push', '-q', urlFor(tokens.ada, made), 'main');
    expect((await pushesOf(made, 2))[1]?.detail).toMatchObject({ changes: 1, refs: [{ ref: 'refs/heads/main' }] });
  });

  test('whoever may not see a repository learns nothing, and readers cannot push', async () => {
    const made = await create('hidden');
    await client.commit('hidden', { 'a.txt': '1' });
    await client.run('hidden', 'push', '-q', urlFor(tokens.ada, made), 'main');
    const tryWith = async (token: string | null, url: string = made.cloneUrl) =>
      fetch(`${url}/info/refs?service=git-upload-pack`, {
        headers: token === null ? {} : { authorization: `Basic ${btoa(`x:${token}`)}` },
      });
    for (const url of [made.cloneUrl, made.cloneUrl.replace('hidden', 'none')]) {
      const anonymous = await tryWith(null, url);
      expect(anonymous.status).toBe(401);
      expect(anonymous.headers.get('www-authenticate')).toBe('Basic realm="Kethub", charset="UTF-8"');
      expect((await tryWith(tokens.ben, url)).status).toBe(404);
    }
    expect(await (await tryWith('my password')).text()).toContain('personal access token');
    const benId = (await ben.client.getMe({})).id;
    const member = { implementationId: made.id, memberType: 'USER' as const, memberId: benId };
    await kethub.client.putImplementationMember({ ...member, json: { role: 'VIEWER' } });
    await client.run('', 'clone', '-q', urlFor(tokens.ben, made), 'of-ben');
    await client.commit('of-ben', { 'b.txt': '2' });
    const refused = await client.try('of-ben', 'push', 'origin', 'main');
    expect(refused.err).toContain('Pushing takes the role MAINTAINER; yours is VIEWER');
    await kethub.client.putImplementationMember({ ...member, json: { role: 'MAINTAINER' } });
    await client.run('of-ben', 'push', '-q', 'origin', 'main');
    await kethub.client.removeImplementationMember(member);
    expect((await client.try('of-ben', 'fetch')).code).not.toBe(0);
  });

  test('everybody clones a public repository, under its former name as well, and nobody pushes without a token', async () => {
    const made = await create('open', 'PUBLIC');
    const commit = await client.commit('open', { 'a.txt': '1' });
    await client.run('open', 'push', '-q', urlFor(tokens.ada, made), 'main');
    await readAt(made, commit);
    await kethub.client.updateImplementation({ implementationId: made.id, json: { name: 'renamed' } });
    await client.run('', 'clone', '-q', made.cloneUrl, 'open-clone');
    const refused = await client.try('open-clone', 'push', 'origin', 'HEAD:other');
    expect(refused.code).not.toBe(0);
    expect(refused.err).toMatch(/could not read Username|Authentication failed/);
  });

  test('a member of an organization has the role of the organization, limited by their own', async () => {
    const made = await create('for-lab');
    const lab = await ben.client.createOrganization({ json: { name: 'Lab' } });
    const member = { implementationId: made.id, memberType: 'ORGANIZATION' as const, memberId: lab.id };
    await kethub.client.putImplementationMember({ ...member, json: { role: 'MAINTAINER' } });
    await client.commit('for-lab', { 'a.txt': '1' });
    await client.run('for-lab', 'push', '-q', urlFor(tokens.ben, made), 'main');
  });

  test('the hook refuses large files, other refs and what has no room, and leaves nothing', async () => {
    const made = await create('limited');
    const url = urlFor(tokens.ada, made);
    const small = await client.commit('limited', { 'a.txt': '1' });
    await client.run('limited', 'push', '-q', url, 'main');
    await readAt(made, small);
    const before = await filesOf(made);
    const refused = async (...args: string[]) => (await client.try('limited', 'push', url, ...args)).err;
    expect(await refused('main:refs/pull/1/head')).toContain('Only branches, tags and notes');
    expect(await refused('main:refs/kethub/x')).toMatch(/hidden ref/);
    await client.commit('limited', { large: randomBytes(3.5 * 1024 * 1024) });
    expect(await refused('main')).toContain('Put large data into a data pool');
    await client.run('limited', 'reset', '-q', '--hard', 'HEAD~1');
    const half = () => randomBytes(2.5 * 1024 * 1024);
    await client.commit('limited', { one: half(), two: half(), three: half() });
    expect(await refused('main')).toMatch(/exceeds maximum allowed size|413/);
    expect(await filesOf(made)).toEqual(before);
    await client.run('limited', 'reset', '-q', '--hard', 'HEAD~1');
    const grown = await client.commit('limited', { one: half(), two: half() });
    await client.run('limited', 'push', '-q', url, 'main');
    await readAt(made, grown);
    await client.commit('limited', { three: half(), four: half() });
    expect(await refused('main')).toMatch(/KiB are left in this repository/);
  });

  test('a push of too many refs is refused before Git starts', async () => {
    const made = await create('many-refs');
    const packet = (line: string) => (line.length + 4).toString(16).padStart(4, '0') + line;
    const command = (number: number) => packet(`${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/b${number}`);
    const body = `${Array.from({ length: MOST_REFS + 1 }, (_, number) => command(number)).join('')}0000`;
    const authorization = `Basic ${btoa(`x:${tokens.ada}`)}`;
    const answer = await fetch(`${made.cloneUrl}/git-receive-pack`, {
      method: 'POST',
      body,
      headers: { authorization },
    });
    expect([answer.status, await answer.text()]).toEqual([413, expect.stringContaining('Push them in parts')]);
  });

  test('every other address and method has a plain answer', async () => {
    const made = await create('plain');
    const authorization = `Basic ${btoa(`x:${tokens.ada}`)}`;
    const get = (path: string, init: RequestInit = {}) =>
      fetch(`${made.cloneUrl}${path}`, { ...init, headers: { authorization } });
    expect((await get('/info/refs')).status).toBe(403);
    expect((await get('/info/refs?service=git-upload-archive')).status).toBe(403);
    expect((await get('/info/lfs/objects/batch', { method: 'POST', body: '{}' })).status).toBe(404);
    expect((await get('/HEAD')).status).toBe(404);
    expect((await get('/git-receive-pack', { method: 'POST', body: 'zzzz' })).status).toBe(400);
    expect((await get('/git-upload-pack', { method: 'POST', body: 'zzzz' })).status).toBe(400);
  });

  test('wrong passwords are throttled', async () => {
    const made = await create('guessed');
    const guess = () =>
      fetch(`${made.cloneUrl}/info/refs?service=git-upload-pack`, {
        headers: { authorization: `Basic ${btoa('x:ket_pat_guess')}` },
      });
    const statuses = [];
    for (let turn = 0; turn < 22; turn++) statuses.push((await guess()).status);
    expect(statuses[0]).toBe(401);
    expect(statuses.at(-1)).toBe(429);
  });
});
