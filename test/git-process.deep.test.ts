import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createPlatformClient, type PlatformClient } from '@kethub/client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { KethubProcess, type Settings } from '@kethub/server/testing/child-process';
import { Browser } from '@kethub/server/testing/browser';
import { postgreSql } from '@kethub/server/testing/databases';
import { freePort } from '../script/free-port.ts';
import { GitClient, gitTokenOf } from '@kethub/server/testing/git-client';
import { startNginx, type Nginx } from '@kethub/server/testing/nginx';
import { mailsTo, tokenIn } from '@kethub/server/testing/outbox';
import { ADA } from '@kethub/server/testing/registration';
import { startSplitKethub, type SplitKethub } from '@kethub/server/testing/split-kethub';
import { beginSignIn } from '@kethub/server/testing/upstream-sign-in';

// Seven processes start on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 300_000 });

const OPERATIONS = path.resolve(import.meta.dirname, '../docs/operations.md');

describe.each(postgreSql)('a git and two apis behind the documented nginx, on $name', (kind) => {
  let kethub: SplitKethub;
  let folder: string;
  let git: KethubProcess;
  let gitSettings: Settings;
  let gitPort: number;
  let secondApi: KethubProcess;
  let nginx: Nginx;
  let proxied: (gits: readonly number[]) => string;
  let client: GitClient;
  let person: PlatformClient;
  let origin: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'kethub-git-process-'));
    const [proxyPort, apiPort, secondPort] = [await freePort(), await freePort(), await freePort()];
    gitPort = await freePort();
    origin = `http://127.0.0.1:${proxyPort}`;
    proxied = await documentedNginx({ 8000: proxyPort, 8080: apiPort, 8090: gitPort }, secondPort);
    nginx = await startNginx(folder, proxied([gitPort]), proxyPort);
    const settings = {
      KETHUB_PUBLIC_URL: origin,
      KETHUB_PORT: String(apiPort),
      KETHUB_TRUSTED_PROXIES: '127.0.0.1',
      KETHUB_REGISTRATION: 'open',
    };
    kethub = await startSplitKethub(kind, settings);
    gitSettings = {
      ...kethub.settings,
      KETHUB_ROLES: 'git',
      KETHUB_PORT: String(gitPort),
      KETHUB_DATA_DIR: path.join(folder, 'git'),
    };
    git = new KethubProcess(gitSettings, gitPort);
    const secondSettings = {
      ...kethub.settings,
      KETHUB_ROLES: 'api',
      KETHUB_PORT: String(secondPort),
      KETHUB_DATA_DIR: path.join(folder, 'api-2'),
    };
    secondApi = new KethubProcess(secondSettings, secondPort);
    await git.ready();
    await secondApi.ready();
    client = await GitClient.open();
    person = createPlatformClient({ baseUrl: `${origin}/api`, credential: { loginSession: kethub.loginSession } });
  });
  afterAll(async () => {
    await nginx.stop();
    await git.end();
    await secondApi.end();
    await client.close();
    await kethub.close();
    await rm(folder, { recursive: true });
  });

  test('push, clone, reading and Create Service work, and a role that is taken away refuses the next push', async () => {
    const ben = await kethub.signIn('ben');
    const { id: benId } = await ben.client.getMe({});
    const made = await person.createImplementation({ json: { name: 'split' } });
    expect(made.cloneUrl.startsWith(`${origin}/git/`)).toBe(true);
    const url = (of: string) => made.cloneUrl.replace('://', `://x:${of}@`);
    const [adas, bens] = [await gitTokenOf(person), await gitTokenOf(ben.client)];
    const large = Buffer.alloc(3_000_000, 'not compressed by the client').toString('latin1');
    const program = 'def run(number):\n    return number + 1\n';
    const files = { 'src/__init__.py': '', 'src/program.py': program, 'large.txt': large };
    const commit = await client.commit('split', files);
    await client.run('split', 'push', '-q', url(adas), 'main');
    await client.run('', 'clone', '-q', url(adas), 'cloned');
    expect(await client.run('cloned', 'rev-parse', 'HEAD')).toBe(commit);
    expect(await person.getImplementation({ implementationId: made.id })).toMatchObject({
      head: commit,
      buildable: 'PYTHON_TEMPLATE',
    });
    const tree = await fetch(`${origin}/api/-/implementations/${made.id}/tree`, {
      headers: { 'x-auth-token': adas },
    });
    expect(tree.status).toBe(200);
    const service = await person.createServiceOfImplementation({ implementationId: made.id, json: {} });
    const at = { serviceId: service.id, version: '1.0.0' };
    // The worker, another process, builds it.
    while ((await person.getBuild(at)).status !== 'SUCCEEDED') await pause(100);
    expect((await person.getServiceVersion(at)).origin).toMatchObject({ commit });
    // Downloads name them as well: the ZIP the commit, and the record of an execution both.
    const zip = await (await person.downloadSource(at)).bytes();
    expect(Buffer.from(zip.slice(-40)).toString()).toBe(commit);
    const { id: executionId } = await person.startJob({ serviceId: service.id, json: { number: 1 } });
    for (;;) {
      const { code } = await person.getOwnedRecord({ executionId });
      if (code === null) await pause(100);
      else {
        expect(code.origin).toEqual({ implementationId: made.id, ref: 'main', commit });
        break;
      }
    }

    const member = { implementationId: made.id, memberType: 'USER' as const, memberId: benId };
    await person.putImplementationMember({ ...member, json: { role: 'MAINTAINER' } });
    await client.commit('cloned', { 'b.txt': 'of ben' });
    await client.run('cloned', 'push', '-q', url(bens), 'main');
    await client.commit('cloned', { 'b.txt': 'too late' });
    await person.putImplementationMember({ ...member, json: { role: 'VIEWER' } });
    const refused = await client.try('cloned', 'push', '-q', url(bens), 'main');
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain('403');
    // Processes with other roles know it as well.
    const change = { implementationId: made.id, json: { description: 'of ben' } };
    await expect(ben.client.updateImplementation(change)).rejects.toMatchObject({ status: 403 });
    const body = new FormData();
    body.append('files', new Blob(['x']), 'c.txt');
    await expect(ben.client.commitToImplementation({ implementationId: made.id, body })).rejects.toMatchObject({
      status: 403,
    });
    await person.removeImplementationMember(member);
    const hidden = await client.try('cloned', 'fetch', url(bens));
    expect(hidden.err).toContain('There is no such repository, or you may not see it.');
    await expect(ben.client.getImplementation({ implementationId: made.id })).rejects.toMatchObject({ status: 404 });
  });

  test('registration and sign-in go from one api to the other, and a mail is sent once', async () => {
    const { auth } = kethub.platform.addresses;
    const browser = new Browser();
    const registered = await browser.submit(await browser.open(new URL(`${auth}/register`)), {
      ...ADA,
      email: 'grace@example.org',
      username: 'grace',
    });
    expect(registered.response.status).toBe(200);
    const outboxes = [path.join(kethub.platform.configuration.dataDir, 'api'), path.join(folder, 'api-2')];
    const mails = async () => {
      const { database, configuration } = kethub.platform;
      const of = (dataDir: string) =>
        mailsTo({ database, configuration: { ...configuration, dataDir } }, 'grace@example.org');
      return (await Promise.all(outboxes.map(of))).flat();
    };
    const sent = await mails();
    expect(sent).toHaveLength(1);
    const verified = await browser.open(new URL(`${auth}/verify/${tokenIn(sent)}`), {
      method: 'POST',
      body: new URLSearchParams({ password: ADA.password }),
    });
    expect(verified.response.status).toBe(200);
    const token = (form: Record<string, string>) =>
      fetch(`${auth}/token`, { method: 'POST', body: new URLSearchParams({ client_id: 'kethub', ...form }) });
    for (let round = 0; round < 3; round++) {
      const { browser: own, page, redeem } = await beginSignIn({ platform: kethub.platform, token });
      const callback = await own.submit(page, { username: 'grace', password: ADA.password });
      const session = await redeem(callback.url);
      const grace = createPlatformClient({ baseUrl: `${origin}/api`, credential: { loginSession: session } });
      for (let request = 0; request < 3; request++) expect((await grace.getMe()).username).toBe('grace');
    }
    // The wrong attempts are counted together.
    const wrong = () => token({ grant_type: 'password', username: 'grace', password: 'wrong' });
    const statuses: number[] = [];
    while (!statuses.includes(429) && statuses.length < 40) statuses.push((await wrong()).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await wrong()).status).toBe(429);
    expect((await wrong()).status).toBe(429);
    expect(await mails()).toHaveLength(1);
  });

  test('an address lives on through rename and transfer, and ends with its owner, as a Git client sees it', async () => {
    const eve = await kethub.signIn('eve');
    const [eves, adas] = [await gitTokenOf(eve.client), await gitTokenOf(person)];
    const made = await eve.client.createImplementation({ json: { name: 'first' } });
    const implementationId = made.id;
    const as = (token: string, cloneUrl: string) =>
      token === '' ? cloneUrl : cloneUrl.replace('://', `://x:${token}@`);
    const seen = async (token: string, cloneUrl: string): Promise<string> => {
      const { code, out, err } = await client.try('', 'ls-remote', as(token, cloneUrl), 'refs/heads/main');
      return code === 0 ? (out.split('\t')[0] ?? '') : err;
    };
    const pushed = async (token: string, cloneUrl: string): Promise<string> => {
      const commit = await client.commit('life', { 'a.txt': String(Math.random()) });
      await client.run('life', 'push', '-q', as(token, cloneUrl), 'main');
      return commit;
    };
    let tip = await pushed(eves, made.cloneUrl);
    expect(await seen(adas, made.cloneUrl)).toContain('There is no such repository, or you may not see it.');

    const renamed = await eve.client.updateImplementation({ implementationId, json: { name: 'second' } });
    tip = await pushed(eves, made.cloneUrl);
    expect(await seen(eves, renamed.cloneUrl)).toBe(tip);
    await expect(eve.client.createImplementation({ json: { name: 'first' } })).rejects.toMatchObject({ status: 409 });

    await eve.client.updateImplementation({ implementationId, json: { visibility: 'PUBLIC' } });
    expect(await seen('', made.cloneUrl)).toBe(tip);
    await eve.client.updateImplementation({ implementationId, json: { visibility: 'PRIVATE' } });
    expect(await seen('', made.cloneUrl)).toContain('could not read Username');

    await expect(eve.client.deleteMe()).rejects.toMatchObject({ status: 400 });
    const lab = await person.createOrganization({ json: { name: 'Lab' } });
    const { id: eveId } = await eve.client.getMe();
    await kethub.platform.database.write((transaction) =>
      transaction
        .insertInto('memberships')
        .values({ organization_id: lab.id, user_id: eveId, role: 'MAINTAINER', created_at: 0 })
        .execute(),
    );
    await eve.client.transferImplementation({ implementationId, json: { type: 'ORGANIZATION', id: lab.id } });
    for (const address of [made.cloneUrl, renamed.cloneUrl, renamed.cloneUrl.replace(eveId, lab.id)])
      expect(await seen(adas, address)).toBe(tip);
    tip = await pushed(adas, made.cloneUrl);
    await eve.client.deleteMe();
    expect(await seen(eves, made.cloneUrl)).toMatch(/Authentication failed|expired, damaged or unknown/);
    expect(await seen(adas, made.cloneUrl)).toBe(tip);

    await expect(person.deleteOrganization({ organizationId: lab.id })).rejects.toMatchObject({ status: 409 });
    await person.deleteImplementation({ implementationId, headers: { 'x-organizationid': lab.id } });
    await person.deleteOrganization({ organizationId: lab.id });
    expect(await seen(adas, made.cloneUrl)).toContain('There is no such repository, or you may not see it.');
  });

  test('a copy by git clone --mirror is whole, also while pushes and upkeep go on', async () => {
    const made = await person.createImplementation({ json: { name: 'copied' } });
    const token = (await person.createAccessToken({ json: { name: 'copy' } })).value ?? '';
    const url = made.cloneUrl.replace('://', `://x:${token}@`);
    const repository = path.join(folder, 'git', 'repositories', made.id.slice(-2), `${made.id}.git`);
    const commits = [await client.commit('copied', { 'a.txt': '0' })];
    await client.run('copied', 'push', '-q', url, 'main');
    for (let round = 0; round < 6; round++) {
      commits.push(await client.commit('copied', { 'a.txt': String(round), 'b.bin': randomBytes(200_000) }));
      const copy = `copy-${round}`;
      await Promise.all([
        client.run('copied', 'push', '-q', url, 'main'),
        client.run('', 'clone', '-q', '--mirror', '--no-local', repository, copy),
        client.run('', '--git-dir', repository, 'repack', '-q', '-a', '-d'),
      ]);
      await client.run('', '--git-dir', copy, 'fsck', '--full', '--strict');
      expect(commits.slice(-2)).toContain(await client.run('', '--git-dir', copy, 'rev-parse', 'main'));
    }
  });

  test(
    'a second git takes over while clones, pushes and reads go on, and a third is refused',
    { timeout: 600_000 },
    async () => {
      const made = await person.createImplementation({ json: { name: 'moving' } });
      const token = (await person.createAccessToken({ json: { name: 'moving' } })).value ?? '';
      const urlOf = (of: string) => of.replace('://', `://x:${token}@`);
      const repository = path.join(folder, 'git', 'repositories', made.id.slice(-2), `${made.id}.git`);
      /** A copy is whole, and has what was pushed last. The repository itself may be packed at the moment. */
      const requireCopy = async (copy: string): Promise<void> => {
        await client.run('', 'clone', '-q', '--mirror', '--no-local', repository, copy);
        await client.run('', '--git-dir', copy, 'fsck', '--full', '--strict');
        const pushed = await client.run('moving', 'rev-parse', 'HEAD');
        expect(await client.run('', '--git-dir', copy, 'rev-parse', 'main')).toBe(pushed);
      };
      const stop = new AbortController();
      onTestFinished(() => stop.abort());
      const failed: string[] = [];
      const counts = { pushed: 0, cloned: 0, read: 0 };
      const succeeds = async (...args: string[]): Promise<boolean> => {
        const { code, err } = await client.try('', ...args);
        if (code !== 0) failed.push(`git ${args[0] === '-C' ? args[2] : args[0]}: ${err}`);
        return code === 0;
      };
      const repeat = async (once: (round: number) => Promise<void>): Promise<void> => {
        for (let round = 0; !stop.signal.aborted; round++) {
          await once(round);
          await pause(100);
        }
      };
      await client.commit('moving', { 'data.bin': randomBytes(3_000_000) });
      await client.run('moving', 'push', '-q', urlOf(made.cloneUrl), 'main');
      const calling = Promise.all([
        repeat(async () => {
          await client.commit('moving', { 'data.bin': randomBytes(3_000_000) });
          if (await succeeds('-C', 'moving', 'push', '-q', urlOf(made.cloneUrl), 'main')) counts.pushed++;
        }),
        repeat(async (round) => {
          if (await succeeds('clone', '-q', '--depth=1', urlOf(made.cloneUrl), `moved-${round}`)) counts.cloned++;
          await rm(client.at(`moved-${round}`), { recursive: true, force: true });
        }),
        repeat(async () => {
          const where = `${origin}/api/-/implementations/${made.id}/tree`;
          const { status } = await fetch(where, { headers: { 'x-auth-token': token } });
          if (status === 200) counts.read++;
          else failed.push(`tree: ${status}`);
        }),
      ]);
      const going = async (): Promise<void> => {
        const before = { ...counts };
        while (counts.pushed < before.pushed + 3 || counts.cloned < before.cloned + 3 || counts.read < before.read + 3)
          await pause(20);
      };
      await going();

      // Both serve: one after the other answers.
      const port = await freePort();
      const second = new KethubProcess({ ...gitSettings, KETHUB_PORT: String(port) }, port);
      onTestFinished(() => second.end());
      await second.ready();
      await nginx.configure(proxied([gitPort, port]));
      await going();
      const third = new KethubProcess({ ...gitSettings, KETHUB_PORT: String(await freePort()) }, port);
      expect(await third.refusal()).toContain(
        `Two processes use the repositories in the data folder ${gitSettings['KETHUB_DATA_DIR']} already`,
      );
      await nginx.configure(proxied([port]));
      await git.end();
      await going();
      stop.abort();
      await calling;
      expect(failed).toEqual([]);

      // The upkeep is the second's as well.
      while (!(await readdir(path.join(repository, 'objects/pack'))).some((name) => name.endsWith('.bitmap')))
        await pause(100);
      await requireCopy('after-update');

      // A process that is killed in the middle of a push leaves what the other one clears when it takes over.
      git = new KethubProcess(gitSettings, gitPort);
      await git.ready();
      await client.commit('moving', { 'data.bin': randomBytes(20_000_000) });
      const cutOff = client.try('moving', 'push', '-q', urlOf(made.cloneUrl), 'main');
      const unfinished = async () =>
        (await readdir(path.join(repository, 'objects'))).filter((name) => /^(?:tmp_|incoming-)/.test(name));
      while ((await unfinished()).length === 0) await pause(1);
      await writeFile(path.join(repository, 'refs/heads/main.lock'), '');
      await second.end('SIGKILL');
      expect((await cutOff).code).not.toBe(0);
      await nginx.configure(proxied([gitPort]));
      while ((await client.try('moving', 'push', '-q', urlOf(made.cloneUrl), 'main')).code !== 0) await pause(100);
      expect(await unfinished()).toEqual([]);
      await requireCopy('after-kill');
    },
  );
});

/**
 * The server of docs/operations.md on other ports, behind two apis. Returns a function that gives the content of nginx
 * for these ports of git.
 */
async function documentedNginx(
  ports: Readonly<Record<number, number>>,
  secondApi: number,
): Promise<(gits: readonly number[]) => string> {
  const server = /```nginx\n([\s\S]*?)```/.exec(await readFile(OPERATIONS, 'utf8'))?.[1] ?? '';
  const moved = Object.entries(ports).reduce((text, [from, to]) => text.replaceAll(from, String(to)), server);
  // Requests go to the processes in turn. Without max_fails=0 one that starts counts as lost for ten seconds.
  const upstream = (name: string, of: readonly (number | undefined)[]): string =>
    `upstream ${name} { ${of.map((port) => `server 127.0.0.1:${port} max_fails=0;`).join(' ')} }\n`;
  const shared = moved
    .replace(`proxy_pass http://127.0.0.1:${ports[8080]};`, 'proxy_pass http://apis;')
    .replaceAll(`proxy_pass http://127.0.0.1:${ports[8090]};`, 'proxy_pass http://gits;');
  return (gits) => `${upstream('apis', [ports[8080], secondApi])}${upstream('gits', gits)}${shared}`;
}
