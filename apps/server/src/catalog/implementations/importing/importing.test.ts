import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import type { Implementation, ImplementationImport } from '@kethub/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../../testing/databases.ts';
import { poolUser, type PoolUser } from '../../../testing/data-pools.ts';
import { GitClient, gitTokenOf } from '../../../testing/git-client.ts';
import { startGitHttpsServer, type GitHttpsServer } from '../../../testing/git-https.ts';
import { mailsTo, until } from '../../../testing/outbox.ts';
import { startTestKethub, type TestKethub } from '../../../testing/kethub.ts';

const SECRET = 'an-import-secret-5f2c';

/** The command lines of all processes. */
function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')];
      } catch {
        // The process has ended meanwhile.
        return [];
      }
    });
}

describe.each(databases())('imports of repositories on $name', (kind) => {
  let kethub: TestKethub;
  let origin: GitHttpsServer;
  let client: GitClient;
  let ada: PoolUser;

  beforeAll(async () => {
    origin = await startGitHttpsServer();
    client = await GitClient.open();
    kethub = await startTestKethub(kind, {
      KETHUB_IMPORT_NETWORKS: '127.0.0.1',
      KETHUB_IMPORT_CA_FILE: origin.authority,
      KETHUB_REPOSITORY_MB: '8',
      KETHUB_REPOSITORY_FILE_MB: '2',
    });
    ada = await poolUser(kethub, kethub.loginSession);
    await publish('small', { 'README.md': '# Small\n', 'src/program.py': 'def run(data, params):\n    return {}\n' });
    await client.run('small', 'tag', 'v1.0.0');
    await client.run('small', 'branch', 'other');
    await mirrorOut('small');
  });
  afterAll(async () => {
    await kethub.close();
    await client.close();
    await origin.close();
  });
  afterEach(() => {
    origin.credential = null;
    origin.intercept = () => false;
  });

  /** Makes a commit, and serves the repository at `<url>/<name>.git`. */
  async function publish(name: string, files: Record<string, string | Buffer>): Promise<string> {
    const commit = await client.commit(name, files);
    await mirrorOut(name);
    return commit;
  }
  async function mirrorOut(name: string): Promise<void> {
    const target = path.join(origin.root, `${name}.git`);
    execFileSync('git', ['init', '-q', '--bare', '--initial-branch=main', target]);
    await client.run(name, 'push', '-q', '--mirror', target);
  }

  const begin = async (body: object): Promise<ImplementationImport> => {
    const answer = await ada.call('POST', '/implementations/imports', { body });
    expect(answer).toMatchObject({ status: 202 });
    return answer.body as ImplementationImport;
  };
  const ended = async (id: string, isEnd = (one: ImplementationImport) => one.endedAt !== undefined) => {
    for (;;) {
      const { body } = await ada.call('GET', `/implementations/${id}/import`);
      if (isEnd(body as ImplementationImport)) return body as ImplementationImport;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const implementation = async (id: string): Promise<Implementation> =>
    (await ada.call('GET', `/implementations/${id}`)).body as Implementation;
  const refsOf = async (id: string): Promise<string> =>
    execFileSync('git', ['for-each-ref', '--format=%(refname) %(objectname)'], {
      cwd: path.join(kethub.dataDir, 'repositories', id.slice(-2), `${id}.git`),
      env: { ...process.env, GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' },
      encoding: 'utf8',
    });
  const problemOf = async (body: object): Promise<string | null> => {
    const { implementationId } = await begin(body);
    const { state, problem } = await ended(implementationId);
    expect(state).toBe('FAILED');
    expect((await implementation(implementationId)).readOnly).toBe(null);
    expect(await refsOf(implementationId)).toBe('');
    return problem;
  };
  let names = 0;
  const named = (): string => `import-${(names += 1)}`;

  test('branches and tags arrive, and the default branch is that of the origin', async () => {
    const head = await client.run('small', 'rev-parse', 'HEAD');
    const { implementationId: id } = await begin({ url: `${origin.url}/small.git`, name: named() });
    expect(await ended(id)).toMatchObject({ state: 'SUCCEEDED', problem: null, failures: 0 });
    expect(await implementation(id)).toMatchObject({ head, readOnly: null, buildable: 'PYTHON_TEMPLATE' });
    expect((await refsOf(id)).split('\n').filter(Boolean)).toEqual([
      `refs/heads/main ${head}`,
      `refs/heads/other ${head}`,
      `refs/tags/v1.0.0 ${head}`,
    ]);
  });

  test('a default branch of another name is taken over', async () => {
    await client.commit('trunk', { 'a.txt': 'a' });
    await client.run('trunk', 'branch', '-m', 'trunk');
    await mirrorOut('trunk');
    execFileSync('git', ['symbolic-ref', 'HEAD', 'refs/heads/trunk'], { cwd: path.join(origin.root, 'trunk.git') });
    const { implementationId: id } = await begin({ url: `${origin.url}/trunk.git`, name: named() });
    await ended(id);
    expect(await implementation(id)).toMatchObject({ defaultBranch: 'trunk', head: expect.any(String) });
  });

  test('a credential is used, kept nowhere, and erased at the end', async () => {
    origin.credential = `lab:${SECRET}`;
    const url = `${origin.url}/small.git`;
    expect(await problemOf({ url, name: named() })).toContain('asks for a user name and a password');
    const credential = { username: 'lab', password: 'wrong' };
    expect(await problemOf({ url, name: named(), credential })).toContain('asks for a user name and a password');
    const commands: string[] = [];
    origin.intercept = () => {
      commands.push(...commandLines());
      return false;
    };
    const { implementationId: id } = await begin({
      url,
      name: named(),
      credential: { username: 'lab', password: SECRET },
    });
    const end = await ended(id);
    expect(end.state).toBe('SUCCEEDED');
    expect(JSON.stringify(end)).not.toContain(SECRET);
    const row = await kethub.platform.database.read
      .selectFrom('implementation_imports')
      .selectAll()
      .where('implementation_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row.sealed_credential).toBe(null);
    expect(commands.some((line) => line.includes('fetch'))).toBe(true);
    for (const secret of [SECRET, Buffer.from(`lab:${SECRET}`).toString('base64')])
      expect(commands.filter((line) => line.includes(secret))).toEqual([]);
    const entries = JSON.stringify((await ada.call('GET', '/audit-entries')).body);
    expect(entries).not.toContain(SECRET);
  });

  test.each([
    ['http://example.org/a.git', 'must begin with https://'],
    ['ssh://example.org/a.git', 'must begin with https://'],
    ['file:///etc/passwd', 'is no address'],
    ['https://user:secret@example.org/a.git', 'must not hold credentials'],
    ['https://10.0.0.1/a.git', 'private network'],
    ['https://127.0.0.2/a.git', 'private network'],
    ['https://2130706434/a.git', 'private network'],
    ['https://169.254.169.254/a.git', 'private network'],
    ['https://[::1]/a.git', 'private network'],
    ['https://[::ffff:127.0.0.2]/a.git', 'private network'],
    ['https://[::ffff:a9fe:a9fe]/a.git', 'private network'],
    ['https://example.org/a.git?x', 'query'],
    ['https://example.org/a%0a.git', 'control characters'],
    ['--upload-pack=x', 'is no address'],
    ['', 'url'],
  ])('the address %j is refused at once', async (url, text) => {
    const answer = await ada.call('POST', '/implementations/imports', { body: { url, name: named() } });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(text);
  });

  test('a name of a private address is refused when it is connected to', async () => {
    // Loopback without 127.0.0.1: the hosts file of the machine leads this name to a network that is not open.
    const problem = await problemOf({ url: `https://localhost.localdomain:${origin.port}/small.git`, name: named() });
    expect(problem).toMatch(/private network|cannot be reached/);
  });

  test.each(['https://169.254.169.254/a.git', 'https://127.0.0.1:1/a.git', 'http://127.0.0.1/a.git'])(
    'a redirect to %j is not followed',
    async (location) => {
      origin.intercept = (_request, response) => {
        response.writeHead(302, { location: `${location}/info/refs?service=git-upload-pack` }).end();
        return true;
      };
      expect(await problemOf({ url: `${origin.url}/small.git`, name: named() })).toContain('leads to another address');
    },
  );

  test('what is no repository, is not there, or speaks the dumb protocol is refused', async () => {
    expect(await problemOf({ url: `${origin.url}/none.git`, name: named() })).toContain('no such repository');
    origin.intercept = (_request, response) => Boolean(response.end('<html>hello</html>'));
    expect(await problemOf({ url: `${origin.url}/small.git`, name: named() })).toContain('no repository');
    execFileSync('git', ['update-server-info'], { cwd: path.join(origin.root, 'small.git') });
    origin.intercept = (request, response) => {
      try {
        response.end(readFileSync(path.join(origin.root, new URL(request.url ?? '/', origin.url).pathname)));
      } catch {
        response.writeHead(404).end();
      }
      return true;
    };
    expect(await problemOf({ url: `${origin.url}/small.git`, name: named() })).toContain('smart protocol');
  });

  test('what is above a limit is refused, and nothing of it stays', async () => {
    await publish('large', Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`${n}.bin`, randomBytes(1_900_000)])));
    expect(await problemOf({ url: `${origin.url}/large.git`, name: named() })).toContain('larger than');
    await publish('one-file', { 'data.bin': randomBytes(3_000_000) });
    const { implementationId: id } = await begin({ url: `${origin.url}/one-file.git`, name: named() });
    expect((await ended(id)).problem).toContain('the limit is 2097152');
    const folder = path.join(kethub.dataDir, 'repositories', id.slice(-2), `${id}.git`);
    const bytes = Number(execFileSync('du', ['-sk', folder], { encoding: 'utf8' }).split('\t')[0]);
    expect(bytes).toBeLessThan(500);
  });

  test('unsafe objects are refused', async () => {
    await client.commit('unsafe', { 'a.txt': 'a' });
    const blob = await client.run('unsafe', 'rev-parse', 'HEAD:a.txt');
    const raw = Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')]);
    const options = { cwd: client.at('unsafe'), input: raw };
    const hash = ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'];
    const tree = execFileSync('git', hash, options).toString().trim();
    const commit = await client.run('unsafe', 'commit-tree', tree, '-m', 'unsafe');
    await client.run('unsafe', 'update-ref', 'refs/heads/main', commit);
    await mirrorOut('unsafe');
    expect(await problemOf({ url: `${origin.url}/unsafe.git`, name: named() })).toContain('fsck');
  });

  test('a mirror follows the origin, refuses pushes, and ends', async () => {
    const first = await publish('followed', { 'a.txt': '1' });
    await client.run('followed', 'branch', 'gone');
    await mirrorOut('followed');
    const name = named();
    const { implementationId: id } = await begin({ url: `${origin.url}/followed.git`, name, mirror: true });
    const one = await ended(id);
    expect(one).toMatchObject({ state: 'SUCCEEDED', mirror: true, nextAt: expect.any(String) });
    expect(await implementation(id)).toMatchObject({ head: first, readOnly: 'MIRROR' });
    const second = await client.commit('followed', { 'a.txt': '2' });
    await client.run('followed', 'branch', '-D', 'gone');
    await client.run('followed', 'branch', 'gone/below');
    await mirrorOut('followed');
    expect((await ada.call('PUT', `/implementations/${id}/import`, { body: {} })).status).toBe(202);
    await ended(id, ({ state, endedAt }) => state === 'SUCCEEDED' && endedAt !== one.endedAt);
    expect(await implementation(id)).toMatchObject({ head: second });
    expect(await refsOf(id)).toContain('refs/heads/gone/below');

    const token = await gitTokenOf(kethub.client);
    const url = (await implementation(id)).cloneUrl.replace('://', `://x:${token}@`);
    const refused = await client.try('followed', 'push', url, 'HEAD:refs/heads/mine');
    expect(refused.err).toContain('The repository is a mirror');
    expect((await ada.call('DELETE', `/implementations/${id}/import`)).status).toBe(204);
    await client.run('followed', 'push', '-q', url, 'HEAD:refs/heads/mine');
    expect((await ada.call('GET', `/implementations/${id}/import`)).status).toBe(404);
  });

  test('after ten failures a mirror is off, and its owner gets a mail', async () => {
    const { implementationId: id } = await begin({ url: `${origin.url}/none.git`, name: 'failing', mirror: true });
    for (let failures = 1; failures < 10; failures += 1) {
      await ended(id, (one) => one.failures === failures && one.state === 'FAILED');
      await kethub.platform.database.write((transaction) =>
        transaction
          .updateTable('implementation_imports')
          .set({ next_at: 0 })
          .where('implementation_id', '=', id)
          .execute(),
      );
    }
    const last = await ended(id, ({ failures }) => failures === 10);
    expect(last).not.toHaveProperty('nextAt');
    const mails = await mailsTo(kethub.platform, 'ada@example.org');
    expect(mails.map(({ subject }) => subject)).toEqual(['A mirror at Kethub is off']);
    expect(mails[0]?.text).toContain('ket repo sync failing');
  });

  test('an import goes on in the next process', async () => {
    let release = (): void => undefined;
    const waits = new Promise<void>((resolve) => (release = resolve));
    let asked = 0;
    origin.intercept = (request, response) => {
      if (!request.url?.includes('info/refs')) return false;
      asked += 1;
      if (asked > 1) return false;
      void waits.then(() => response.end());
      return true;
    };
    const { implementationId: id } = await begin({ url: `${origin.url}/small.git`, name: named() });
    await until(() => Promise.resolve(asked > 0));
    await kethub.restart();
    release();
    expect(await ended(id)).toMatchObject({ state: 'SUCCEEDED' });
  });

  test('an import that is withdrawn ends, and the repository can be written to', async () => {
    let asked = 0;
    origin.intercept = () => Boolean((asked += 1));
    const { implementationId: id } = await begin({ url: `${origin.url}/small.git`, name: named() });
    await until(() => Promise.resolve(asked > 0));
    expect((await ada.call('DELETE', `/implementations/${id}/import`)).status).toBe(204);
    expect(await implementation(id)).toMatchObject({ readOnly: null });
  });
});
