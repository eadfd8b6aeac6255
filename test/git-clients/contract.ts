import { randomBytes } from 'node:crypto';
import type { Implementation } from '@kethub/contract';
import { expect, test } from 'vitest';
import { GitClient } from '@kethub/server/testing/git-client';
import type { SignedIn, TestKethub } from '@kethub/server/testing/kethub';
import type { GitProgram } from './client.ts';

/** A platform, two people on it, and a folder for clones. */
export interface Given {
  readonly kethub: TestKethub;
  readonly ben: SignedIn;
  readonly client: GitClient;
  /** The address of a repository with a thousand branches. */
  readonly crowded: string;
}

const BRANCHES = 1_000;
/** Bytes of a file that every client pushes. Their packs are far larger than what is sent or read at once. */
const LARGE_BYTES = 10_000_000;

export async function openGiven(kethub: TestKethub): Promise<Given> {
  const client = await GitClient.open();
  const made = await kethub.client.createImplementation({ json: { name: 'crowded', visibility: 'PUBLIC' } });
  const { defaultToken } = await kethub.client.listAccessTokens();
  const tip = await client.commit('crowded', { 'a.txt': '1' });
  const branches = Array.from({ length: BRANCHES - 1 }, (_, number) => `create refs/heads/b/${number} ${tip}\n`);
  await client.bytes('crowded', branches.join(''), 'update-ref', '--stdin');
  await client.run('crowded', 'push', '-q', made.cloneUrl.replace('://', `://x:${defaultToken}@`), 'refs/heads/*');
  return { kethub, ben: await kethub.signIn('ben'), client, crowded: made.cloneUrl };
}

/**
 * Everything that a Git client does, and what its user reads when it is refused.
 *
 * @param isCrowded false leaves out what takes long and is the same with every version of the protocol.
 */
export function testGitProgram(
  given: () => Given,
  programOf: (given: Given) => GitProgram,
  name: string,
  isCrowded = true,
): void {
  const run = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await programOf(given()).run(...args);
    if (code !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${code}: ${err}`);
    return out.trim();
  };
  const refused = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await programOf(given()).run(...args);
    expect([args[0], code]).toEqual([args[0], expect.toSatisfy((found: number) => found !== 0)]);
    // A stack of calls is nothing for a user.
    expect(err).not.toMatch(/Traceback|^\s+at /m);
    return out + err;
  };
  const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const create = (what: string, visibility: Implementation['visibility'] = 'PRIVATE') =>
    given().kethub.client.createImplementation({ json: { name: `${what}-${slug}`, visibility } });
  const tokenOf = async ({ client }: Pick<SignedIn, 'client'>) =>
    await client.createAccessToken({ json: { name: 'git' } });
  const urlFor = ({ cloneUrl }: Pick<Implementation, 'cloneUrl'>, token: string) =>
    cloneUrl.replace('://', `://x:${token}@`);
  const at = (folder: string) => given().client.at(`${slug}-${folder}`);

  test(`${name}: clone, fetch, push, tags, branches, force and deletion`, async () => {
    const { kethub, client } = given();
    const made = await create('whole');
    const url = urlFor(made, (await tokenOf(kethub)).value ?? '');
    const seed = `${slug}-seed`;
    const first = await client.commit(seed, { 'a.txt': '1', 'folder/b.txt': 'x'.repeat(200_000) });
    await client.run(seed, 'push', '-q', url, 'main');
    await run('clone', url, at('work'), '0', '-');
    expect(await run('head', at('work'))).toBe(first);
    const second = await run('commit', at('work'), 'c.txt', '2');
    await run('push', at('work'), url, 'refs/heads/main', 'refs/heads/main', '0');
    await run('push', at('work'), url, 'refs/heads/main', 'refs/heads/feature/x', '0');
    await run('tag', at('work'), 'v1.0.0');
    await run('push', at('work'), url, 'refs/tags/v1.0.0', 'refs/tags/v1.0.0', '0');
    const refs = await run('list', url);
    for (const ref of ['main', 'feature/x']) expect(refs).toMatch(new RegExp(`${second}\\s+refs/heads/${ref}`));
    expect(refs).toContain('refs/tags/v1.0.0');

    await client.run(seed, 'pull', '-q', url, 'main');
    const third = await client.commit(seed, { 'd.txt': '3' });
    await client.run(seed, 'push', '-q', url, 'main');
    expect(await run('fetch', at('work'), url, 'refs/heads/main')).toBe(third);
    const protection = { defaultBranch: false, patterns: [] };
    await kethub.client.updateImplementation({ implementationId: made.id, json: { protection } });
    // The branch has moved: only force overwrites it.
    const own = await run('commit', at('work'), 'e.txt', '4');
    expect(await refused('push', at('work'), url, 'refs/heads/main', 'refs/heads/main', '0')).toMatch(
      /reject|non-?fast-?forward|not a (?:simple )?fast-forward|diverged/i,
    );
    await run('push', at('work'), url, 'refs/heads/main', 'refs/heads/main', '1');
    expect(await run('list', url)).toMatch(new RegExp(`${own}\\s+refs/heads/main`));

    await run('push', at('work'), url, '', 'refs/heads/feature/x', '0');
    await run('push', at('work'), url, '', 'refs/tags/v1.0.0', '0');
    expect(await run('list', url)).not.toMatch(/feature|v1\.0\.0/);

    await run('clone', url, at('shallow'), '1', '-');
    expect(await run('count', at('shallow'))).toBe('1');
    if (programOf(given()).isPartial) {
      await run('clone', url, at('partial'), '0', 'blob:none');
      expect(await run('head', at('partial'))).toBe(own);
      const missing = await client.run(
        path(at('partial'), client),
        'rev-list',
        '--objects',
        '--missing=print',
        '--all',
      );
      expect(missing).toMatch(/^\?/m);
    }
  });

  if (isCrowded)
    test(`${name}: a file of ${LARGE_BYTES} bytes arrives, and ${BRANCHES} branches are listed and cloned`, async () => {
      const { kethub, client, crowded } = given();
      const made = await create('large');
      const url = urlFor(made, (await tokenOf(kethub)).value ?? '');
      const seed = `${slug}-large-seed`;
      await client.commit(seed, { 'a.txt': '1' });
      await client.run(seed, 'push', '-q', url, 'main');
      await run('clone', url, at('large'), '0', '-');
      const large = await client.commit(path(at('large'), client), { 'large.bin': randomBytes(LARGE_BYTES) });
      await run('push', at('large'), url, 'refs/heads/main', 'refs/heads/main', '0');
      await client.run(seed, 'pull', '-q', url, 'main');
      expect(await client.run(seed, 'rev-parse', 'HEAD')).toBe(large);

      expect((await run('list', crowded)).match(/refs\/heads\//g)).toHaveLength(BRANCHES);
      await run('clone', crowded, at('crowded'), '0', '-');
      expect(await client.run(path(at('crowded'), client), 'rev-parse', 'refs/remotes/origin/b/998')).toBe(
        await run('head', at('crowded')),
      );
    });

  test(`${name}: a public repository needs no token, and the default token is one`, async () => {
    const { kethub, client } = given();
    const made = await create('open', 'PUBLIC');
    const { defaultToken } = await kethub.client.listAccessTokens();
    const seed = `${slug}-open-seed`;
    await client.commit(seed, { 'a.txt': '1' });
    await client.run(seed, 'push', '-q', urlFor(made, defaultToken), 'main');
    await run('clone', made.cloneUrl, at('anonymous'), '0', '-');
    await run('clone', urlFor(made, defaultToken), at('default-token'), '0', '-');
    await run('commit', at('anonymous'), 'b.txt', '2');
    const said = await refused('push', at('anonymous'), made.cloneUrl, 'refs/heads/main', 'refs/heads/main', '0');
    expect(said).toMatch(/401|not authorized|Authentication|could not read Username|credentials/i);
  });

  test(`${name}: wrong, expired and deleted tokens, readers and unknown repositories are refused in words`, async () => {
    const { kethub, ben, client } = given();
    const made = await create('refused');
    const token = await tokenOf(kethub);
    const seed = `${slug}-refused-seed`;
    await client.commit(seed, { 'a.txt': '1' });
    await client.run(seed, 'push', '-q', urlFor(made, token.value ?? ''), 'main');
    const clone = (url: string) => refused('clone', url, at(`never-${Math.random()}`), '0', '-');
    const unauthorized = /401|not authorized|Authentication failed|authentication re|credentials|Unauthorized/i;
    const wrong = `${(token.value ?? '').slice(0, -4)}AAAA`;
    expect(await clone(urlFor(made, wrong))).toMatch(unauthorized);
    expect(await clone(urlFor(made, 'my-password'))).toMatch(unauthorized);
    const expired = await tokenOf(kethub);
    await kethub.platform.database.write((transaction) =>
      transaction.updateTable('access_tokens').set({ expires_on: '2020-01-01' }).where('id', '=', expired.id).execute(),
    );
    expect(await clone(urlFor(made, expired.value ?? ''))).toMatch(unauthorized);
    await kethub.client.deleteAccessToken({ id: token.id });
    expect(await clone(urlFor(made, token.value ?? ''))).toMatch(unauthorized);

    const reader = (await tokenOf(ben)).value ?? '';
    const member = { memberType: 'USER' as const, memberId: (await ben.client.getMe()).id };
    expect(await clone(urlFor(made, reader))).toMatch(/404|not found|no such repository|NotGitRepository/i);
    const unknown = { cloneUrl: made.cloneUrl.replace('refused', 'unknown') };
    expect(await clone(urlFor(unknown, reader))).toMatch(/404|not found|no such repository|NotGitRepository/i);
    await kethub.client.putImplementationMember({ implementationId: made.id, ...member, json: { role: 'VIEWER' } });
    await run('clone', urlFor(made, reader), at('reader'), '0', '-');
    await run('commit', at('reader'), 'b.txt', '2');
    const said = await refused('push', at('reader'), urlFor(made, reader), 'refs/heads/main', 'refs/heads/main', '0');
    expect(said).toMatch(/403|not permitted|MAINTAINER/i);
  });
}

function path(folder: string, { home }: GitClient): string {
  return folder.slice(home.length + 1);
}
