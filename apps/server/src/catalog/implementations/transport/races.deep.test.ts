import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import type { Implementation } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { databases } from '../../../testing/databases.ts';
import { GitClient, gitTokenOf } from '../../../testing/git-client.ts';
import { FLUSH, linesOf, packet, pushOf } from '../../../testing/git-packets.ts';
import {
  answerOf,
  leftoversIn,
  processesOn,
  RawGit,
  repositoryOf,
  requireWhole,
  responseOf,
  untilQuiet,
} from '../../../testing/git-raw.ts';
import { startTestKethub, type SignedIn, type TestKethub } from '../../../testing/kethub.ts';

vi.setConfig({ testTimeout: 180_000 });

const TRANSFERS = { inAll: 8, ofCaller: 4 };
const DISCONNECTS = 20;

describe.each(databases())('transfers side by side and cut off on $name', (kind) => {
  let kethub: TestKethub;
  let client: GitClient;
  let ben: SignedIn;
  const tokens = { ada: '', ben: '' };

  beforeAll(async () => {
    kethub = await startTestKethub(kind, {
      KETHUB_REPOSITORY_MB: '64',
      KETHUB_PUSH_MB: '40',
      KETHUB_GIT_TRANSFERS: String(TRANSFERS.inAll),
      KETHUB_GIT_TRANSFERS_PER_CALLER: String(TRANSFERS.ofCaller),
      KETHUB_SLOW_READER_SECONDS: '3',
    });
    client = await GitClient.open();
    ben = await kethub.signIn('ben');
    tokens.ada = await gitTokenOf(kethub.client);
    tokens.ben = await gitTokenOf(ben.client);
  });
  afterAll(async () => {
    await client.close();
    await kethub.close();
  });

  const urlOf = ({ cloneUrl }: Implementation) => cloneUrl.replace('://', `://x:${tokens.ada}@`);
  /** A repository with a commit of this many random bytes on main. */
  const started = async (name: string, bytes = 1, visibility: Implementation['visibility'] = 'PRIVATE') => {
    const made = await kethub.client.createImplementation({ json: { name, visibility } });
    const tip = await client.commit(name, { 'data.bin': randomBytes(bytes) });
    await client.run(name, 'push', '-q', urlOf(made), 'main');
    return { made, tip, raw: new RawGit(made, tokens.ada), repository: repositoryOf(kethub, made) };
  };
  const packFor = (folder: string, commits: string): Promise<Buffer> =>
    client.bytes(folder, `${commits}\n`, 'pack-objects', '--revs', '--stdout', '-q');
  const wanting = (id: string) =>
    Buffer.concat([packet(`want ${id} side-band-64k ofs-delta\n`), FLUSH, packet('done\n')]);
  /** Begins a push of `bytes` that stops after its commands. Returns a function that sends the rest. */
  const beginPush = async (raw: RawGit, body: Buffer) => {
    const request = raw.begin('POST', '/git-receive-pack');
    const half = Math.floor(body.length / 2);
    await new Promise((resolve) => request.write(body.subarray(0, half), resolve));
    return {
      request,
      finish: () => {
        request.end(body.subarray(half));
        return answerOf(request);
      },
    };
  };
  const untilProcesses = async (repository: string) => {
    while (processesOn(repository).length === 0) await pause(10);
  };

  test('of two pushes to one branch one wins, and the other is refused', async () => {
    const { tip, raw, repository, made } = await started('one-ref');
    const bodies = await Promise.all(
      ['x', 'y'].map(async (name) => {
        await client.run('', 'clone', '-q', urlOf(made), name);
        const commit = await client.commit(name, { [name]: randomBytes(500_000) });
        const pack = await packFor(name, `${commit}\n^${tip}`);
        return { commit, body: pushOf([{ ref: 'refs/heads/main', from: tip, to: commit }], pack) };
      }),
    );
    const begun = await Promise.all(bodies.map(({ body }) => beginPush(raw, body)));
    const answers = await Promise.all(begun.map(({ finish }) => finish()));
    const texts = answers.map(({ body }) => linesOf(body).join(' '));
    expect(texts.filter((text) => text.includes('ok refs/heads/main'))).toHaveLength(1);
    expect(
      texts.filter((text) => /ng refs\/heads\/main (?:failed to update ref|fetch first|.*lock)/.test(text)),
    ).toHaveLength(1);
    const winner = bodies[texts.findIndex((text) => text.includes('ok refs/heads/main'))]?.commit;
    expect(await client.run('', 'ls-remote', urlOf(made), 'refs/heads/main')).toContain(winner);
    await untilQuiet(repository);
    await requireWhole(client, repository);
  });

  test('two pushes at once stay within the limit of the repository together', async () => {
    const { tip, raw, made, repository } = await started('quota');
    const bodies = await Promise.all(
      ['one', 'two'].map(async (name) => {
        await client.run('', 'clone', '-q', urlOf(made), `quota-${name}`);
        const commit = await client.commit(`quota-${name}`, { large: randomBytes(36 * 1024 * 1024) });
        return pushOf(
          [{ ref: `refs/heads/${name}`, to: commit }],
          await packFor(`quota-${name}`, `${commit}\n^${tip}`),
        );
      }),
    );
    const begun = await Promise.all(bodies.map((body) => beginPush(raw, body)));
    const answers = await Promise.all(begun.map(({ finish }) => finish()));
    const texts = answers.map(({ body }) => linesOf(body).join(' '));
    expect(texts.filter((text) => /ok refs\/heads\/(one|two)/.test(text))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('pre-receive hook declined'))).toHaveLength(1);
    await untilQuiet(repository);
    // The room that was kept for the refused one is free again.
    const commit = await client.commit('quota', { small: randomBytes(20 * 1024 * 1024) });
    await client.run('quota', 'push', '-q', urlOf(made), `${commit}:refs/heads/rest`);
  });

  test('a push goes on while its repository is renamed and transferred', async () => {
    const { tip, raw, made } = await started('moving');
    const commit = await client.commit('moving', { 'data.bin': randomBytes(1_000_000) });
    const pack = await packFor('moving', `${commit}\n^${tip}`);
    const { finish } = await beginPush(raw, pushOf([{ ref: 'refs/heads/main', from: tip, to: commit }], pack));
    const lab = await kethub.client.createOrganization({ json: { name: 'Lab' } });
    const implementationId = made.id;
    await kethub.client.updateImplementation({ implementationId, json: { name: 'moved' } });
    await kethub.client.transferImplementation({ implementationId, json: { type: 'ORGANIZATION', id: lab.id } });
    expect(linesOf((await finish()).body).join('')).toContain('ok refs/heads/main');
    const moved = made.cloneUrl.replace(/[^/]+\/moving\.git$/, `${lab.id}/moved.git`);
    for (const url of [moved, made.cloneUrl])
      expect(await client.run('', 'ls-remote', url.replace('://', `://x:${tokens.ada}@`))).toContain(commit);
  });

  test('a clone of a repository that is deleted meanwhile is whole or fails, and nothing runs on', async () => {
    const { tip, raw, made, repository } = await started('deleted', 30_000_000);
    const request = raw.begin('POST', '/git-upload-pack');
    request.end(wanting(tip));
    const response = await responseOf(request);
    await kethub.client.deleteImplementation({ implementationId: made.id });
    expect((await raw.ask('GET', '/info/refs?service=git-upload-pack')).status).toBe(404);
    const body = await buffer(response);
    expect(body.length).toBeGreaterThan(30_000_000);
    while (processesOn(repository).length > 0) await pause(20);
  });

  test(`clients that vanish at ${DISCONNECTS} moments leave no process, lock or temporary pack`, async () => {
    const { tip, raw, repository, made } = await started('vanish', 20_000_000);
    const commit = await client.commit('vanish', { 'data.bin': randomBytes(2_000_000) });
    const body = pushOf(
      [{ ref: 'refs/heads/main', from: tip, to: commit }],
      await packFor('vanish', `${commit}\n^${tip}`),
    );
    for (let moment = 0; moment < DISCONNECTS; moment++) {
      const share = moment / (DISCONNECTS - 1);
      const push = raw.begin('POST', '/git-receive-pack', { 'content-length': body.length });
      push.write(body.subarray(0, Math.floor(body.length * share)));
      const clone = raw.begin('POST', '/git-upload-pack');
      clone.end(wanting(tip));
      const refs = raw.begin('GET', '/info/refs?service=git-upload-pack');
      refs.end();
      // The first ones are gone before the platform has looked at them.
      if (moment > 1) await pause(moment * 5);
      for (const request of [push, clone, refs]) request.destroy();
    }
    await untilQuiet(repository);
    await requireWhole(client, repository);
    const now = await client.run('', 'ls-remote', urlOf(made), 'refs/heads/main');
    expect(now).toMatch(new RegExp(`^(${tip}|${commit})`));
    // Each slot was given back.
    const answers = await Promise.all(
      Array.from({ length: TRANSFERS.ofCaller }, () => raw.ask('GET', '/info/refs?service=git-upload-pack')),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });

  test('one person has a limit of transfers, newcomers find a slot, and 64 clones end well or are asked to wait', async () => {
    const { tip, raw, repository, made } = await started('crowd', 1, 'PUBLIC');
    const other = new RawGit(made, tokens.ben);
    const anonymous = new RawGit(made, '');
    const hang = (from: RawGit) => {
      const request = from.begin('POST', '/git-upload-pack');
      request.write(packet(`want ${tip}\n`));
      return request;
    };
    const hung: ReturnType<typeof hang>[] = [];
    const look = (from: RawGit) => from.ask('GET', '/info/refs?service=git-upload-pack');
    let refused = await look(raw);
    // One that came too early for a slot was refused itself.
    for (; refused.status === 200; refused = await look(raw)) hung.push(hang(raw));
    expect([refused.status, refused.headers['retry-after'], refused.body.toString()]).toEqual([
      503,
      '5',
      expect.stringContaining('You have 4 transfers under way'),
    ]);
    hung.push(...Array.from({ length: TRANSFERS.ofCaller }, () => hang(other)));
    // The last places are for callers without a transfer.
    expect((await look(anonymous)).status).toBe(200);
    for (const request of hung) request.destroy();
    await untilQuiet(repository);
    const clones = await Promise.all(
      Array.from({ length: 64 }, (_, number) => client.try('', 'clone', '-q', urlOf(made), `crowd-${number}`)),
    );
    for (const [number, { code, err }] of clones.entries())
      if (code === 0) expect(await client.run(`crowd-${number}`, 'rev-parse', 'HEAD')).toBe(tip);
      else expect(err).toMatch(/503/);
    expect(clones.some(({ code }) => code === 0)).toBe(true);
    expect(clones.some(({ err }) => /Try again in 5 seconds|503/.test(err))).toBe(true);
    await untilQuiet(repository);
    expect((await look(raw)).status).toBe(200);
  });

  test('a client that reads almost nothing is cut, and its process ends', async () => {
    const { tip, raw, repository } = await started('slow', 30_000_000);
    const request = raw.begin('POST', '/git-upload-pack');
    request.end(wanting(tip));
    const response = await responseOf(request);
    response.on('error', () => undefined);
    response.pause();
    await untilProcesses(repository);
    const trickle = setInterval(() => response.read(10), 100);
    while (processesOn(repository).length > 0) await pause(50);
    clearInterval(trickle);
    expect(response.complete).toBe(false);
    response.destroy();
  });

  const canMount = () =>
    spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs none $d && umount $d && rmdir $d']).status === 0;

  test.runIf(canMount())(
    'a push that fills the disk fails in words, leaves nothing, and the next one succeeds',
    async () => {
      const { made, repository } = await started('full');
      const { code } = await client.try('full', '--git-dir', repository, 'rev-parse', 'refs/heads/main');
      expect(code).toBe(0);
      const objects = `${repository}/objects`;
      const copy = client.at('objects');
      const shell = (command: string) => {
        const ran = spawnSync('sh', ['-ec', command, 'sh', objects, copy], { encoding: 'utf8' });
        if (ran.status !== 0) throw new Error(ran.stderr);
      };
      shell('cp -a "$1" "$2"; mount -t tmpfs -o size=4m,mode=0700 none "$1"; cp -a "$2"/. "$1"');
      onTestFinished(() => shell('umount "$1"'));
      const large = await client.commit('full', { 'data.bin': randomBytes(8_000_000) });
      const { err } = await client.try('full', 'push', urlOf(made), 'main');
      expect(err).toMatch(/No space left on device/);
      await untilQuiet(repository);
      await requireWhole(client, repository);
      await client.run('full', 'reset', '-q', '--hard', `${large}~1`);
      const small = await client.commit('full', { 'small.txt': 'fits' });
      await client.run('full', 'push', '-q', urlOf(made), 'main');
      expect(await client.run('full', '--git-dir', repository, 'rev-parse', 'refs/heads/main')).toBe(small);
      expect((await stat(objects)).isDirectory()).toBe(true);
      expect(await leftoversIn(repository)).toEqual([]);
    },
  );
});
