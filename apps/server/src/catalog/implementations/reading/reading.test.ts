import { writeFile } from 'node:fs/promises';
import {
  limits,
  type Comparison,
  type CommitDetails,
  type Implementation,
  type RepositoryCommit,
  type RepositoryRefs,
  type RepositoryTree,
} from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../../testing/databases.ts';
import { GitClient, gitTokenOf } from '../../../testing/git-client.ts';
import { startTestKethub, type TestKethub } from '../../../testing/kethub.ts';

describe.each(databases())('reading repositories on $name', (kind) => {
  let kethub: TestKethub;
  let client: GitClient;
  let made: Implementation;
  let commits: string[];
  let url: string;

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    client = await GitClient.open();
    made = await kethub.client.createImplementation({ json: { name: 'read' } });
    url = made.cloneUrl.replace('://', `://ada:${await newToken()}@`);
    const names = {
      'src/program.py': 'def run(): pass\n',
      '*.py': 'star\n',
      'page.html': '<script>1</script>',
      'ü.txt': '',
    };
    commits = [
      await client.commit('read', { ...names, 'bytes.bin': Buffer.from([0, 1, 2, 3]) }, 'first\n\nwith a body'),
      await client.commit('read', { 'src/program.py': 'def run():\n    return 1\n' }, 'second'),
    ];
    await client.run('read', 'tag', 'v1.0.0', commits[0] ?? '');
    await client.run('read', 'push', '-q', '--tags', url, 'main');
  });
  afterAll(async () => {
    await client.close();
    await kethub.close();
  });

  const newToken = (): Promise<string> => gitTokenOf(kethub.client);
  const ask = (path: string, headers: Record<string, string> = {}, id: string = made.id) =>
    fetch(`${kethub.platform.addresses.api}/-/implementations/${id}${path}`, {
      headers: { authorization: `Bearer ${kethub.loginSession}`, ...headers },
    });
  const read = async <T>(path: string): Promise<T> => {
    const answer = await ask(path);
    expect(answer.status).toBe(200);
    return (await answer.json()) as T;
  };

  test('branches, tags and folders', async () => {
    const refs = await read<RepositoryRefs>('/refs');
    expect(refs).toMatchObject({
      defaultBranch: 'main',
      head: commits[1],
      branches: [{ name: 'main', commit: commits[1] }],
      tags: [{ name: 'v1.0.0', commit: commits[0] }],
    });
    const root = await read<{ entries: { name: string; type: string }[] }>('/tree');
    expect(root.entries.map(({ name }) => name)).toEqual(['src', '*.py', 'bytes.bin', 'page.html', 'ü.txt']);
    expect(await read('/tree?path=src&ref=v1.0.0')).toMatchObject({
      commit: commits[0],
      entries: [{ name: 'program.py', type: 'FILE', bytes: 16, isExecutable: false }],
    });
  });

  test('files are plain text or bytes, also in parts', async () => {
    const page = await ask('/file?path=page.html');
    expect(page.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toContain('sandbox');
    expect(await (await ask('/file?path=*.py')).text()).toBe('star\n');
    expect(await (await ask('/file?path=src/program.py&ref=v1.0.0')).text()).toBe('def run(): pass\n');
    expect(await (await ask(`/file?path=${encodeURIComponent('ü.txt')}`)).text()).toBe('');
    const part = await ask('/file?path=bytes.bin', { range: 'bytes=1-2' });
    expect([part.status, [...(await part.bytes())]]).toEqual([206, [1, 2]]);
    const tag = part.headers.get('etag') ?? '';
    expect((await ask('/file?path=bytes.bin', { 'if-none-match': tag })).status).toBe(304);
  });

  test.each([
    ['/tree?path=', 400],
    ['/file?path=', 400],
    ['/file', 400],
    ['/file?path=../x', 400],
    ['/file?path=/src', 400],
    ['/file?path=src//program.py', 400],
    ['/file?path=a%00b', 400],
    ['/file?path=src', 404],
    ['/file?path=src/program.py/x', 404],
    ['/file?path=none%0Ax', 404],
    ['/tree?path=page.html', 404],
    ['/tree?ref=none', 404],
    ['/tree?ref=-x', 400],
    ['/tree?ref=main%5E%7Btree%7D', 400],
    ['/tree?ref=a..b', 400],
    ['/commits?ref=--all', 400],
    [`/commits/${'0'.repeat(40)}`, 404],
    ['/compare?base=main&head=none', 404],
    ['/archive?format=x', 400],
  ])('%s is answered with %i', async (path, status) => {
    expect((await ask(path)).status).toBe(status);
  });

  test('history, changes and comparison', async () => {
    const history = await read<RepositoryCommit[]>('/commits');
    expect(history.map(({ id }) => id)).toEqual(commits.toReversed());
    expect(history[1]).toMatchObject({ author: 'Ada', message: 'first\n\nwith a body', parents: [] });
    expect(JSON.stringify(history)).not.toContain('@');
    const page = await ask('/commits?limit=1');
    expect(page.headers.get('link')).toMatch(/skip=1>; rel="next"$/);
    expect(await read('/commits?path=*.py')).toHaveLength(1);
    const details = await read<CommitDetails>(`/commits/${commits[1] ?? ''}`);
    expect(details.files).toEqual([{ path: 'src/program.py', change: 'MODIFIED', added: 2, removed: 1 }]);
    expect(details.patch).toContain('+    return 1');
    expect((await read<CommitDetails>('/commits/v1.0.0')).files).toHaveLength(5);
    const comparison = await read<Comparison>('/compare?base=v1.0.0&head=main');
    expect(comparison).toMatchObject({ ahead: 1, behind: 0, mergeBase: commits[0], isCut: false });
  });

  test('names and messages are shown as they are, whatever they hold', async () => {
    const { id, cloneUrl } = await kethub.client.createImplementation({ json: { name: 'awkward' } });
    const names = ['a\nb.txt', 'c.txt\r', 'folder\n/c.txt', '-q', '#?%2F"\'.txt', 'evil\u202egnp.exe'];
    await client.commit('awkward', Object.fromEntries(names.map((name) => [name, `${name}!`])));
    const latin = Buffer.concat([Buffer.from(client.at('awkward')), Buffer.from('/caf\xe9', 'latin1')]);
    await writeFile(latin, 'latin');
    const forged = `${'x'.repeat(60_000)}\u0001${'0'.repeat(40)}\n\nbody`;
    await client.commit('awkward', {}, forged);
    await client.run('awkward', 'push', '-q', cloneUrl.replace('://', `://ada:${await newToken()}@`), 'main');
    const at = (path: string) => ask(`/file?path=${encodeURIComponent(path)}`, {}, id);
    for (const name of names) expect(await (await at(name)).text()).toBe(`${name}!`);
    expect(await (await at('caf\ufffd')).text()).toBe('latin');
    expect((await at('caf\ufffd/x')).status).toBe(404);
    expect((await at('none\nx')).status).toBe(404);
    expect((await at('c.txt')).status).toBe(404);
    expect((await at(`${'folder\n/'.repeat(300)}c.txt`)).status).toBe(404);
    const commits = (await (await ask('/commits', {}, id)).json()) as RepositoryCommit[];
    expect(commits.map(({ message }) => message)).toEqual([forged, 'change']);
    const args = ['commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-F', '-'];
    const long = (await client.bytes('awkward', 'long'.repeat(5_000_000), ...args)).toString().trim();
    const to = `${long}:refs/heads/long`;
    await client.run('awkward', 'push', '-q', cloneUrl.replace('://', `://ada:${await newToken()}@`), to);
    const shown = (await (await ask(`/commits/${long}`, {}, id)).json()) as CommitDetails;
    expect(shown.message).toBe('long'.repeat(limits.shownMessageBytes / 4));
    const { patch } = (await (await ask(`/commits/${commits[1]?.id ?? ''}`, {}, id)).json()) as CommitDetails;
    expect(patch).toContain('a/evil\u202egnp.exe');
  });

  test('a folder of many entries is searched by name', async () => {
    const { id, cloneUrl } = await kethub.client.createImplementation({ json: { name: 'many' } });
    const blob = (await client.bytes('read', 'many', 'hash-object', '-w', '--stdin')).toString().trim();
    const rows = Array.from({ length: 20_000 }, (_, index) => `100644 blob ${blob}\tf${index}.txt\n`);
    const tree = (await client.bytes('read', rows.join(''), 'mktree')).toString().trim();
    const commit = await client.run('read', 'commit-tree', tree, '-m', 'many');
    const target = cloneUrl.replace('://', `://ada:${await newToken()}@`);
    await client.run('read', 'push', '-q', target, `${commit}:refs/heads/main`);
    const folder = async (q: string): Promise<RepositoryTree> =>
      (await (await ask(`/tree${q}`, {}, id)).json()) as RepositoryTree;
    const all = await folder('');
    expect([all.entries.length, all.isCut]).toEqual([5_000, true]);
    const found = await folder('?q=F1999');
    expect(found.isCut).toBe(false);
    expect(found.entries).toHaveLength(11);
    expect((await folder('?q=f1.txt')).entries[0]?.name).toBe('f1.txt');
    expect((await folder('?q=none')).entries).toEqual([]);
  });

  test('an archive holds the files of a commit', async () => {
    const zip = await ask('/archive?ref=v1.0.0');
    expect(zip.headers.get('content-type')).toBe('application/zip');
    expect((await zip.bytes()).subarray(0, 2)).toEqual(new Uint8Array([0x50, 0x4b]));
    expect(await (await ask('/archive?format=tar')).text()).toContain('def run():\n    return 1');
  });

  test('an empty repository says what to type', async () => {
    const empty = await kethub.client.createImplementation({ json: { name: 'empty' } });
    const answer = await ask('/tree', {}, empty.id);
    expect(await answer.json()).toMatchObject({
      status: 404,
      type: expect.stringContaining('empty-repository'),
      detail: expect.stringContaining(`git push ${empty.cloneUrl} HEAD:main`),
    });
    expect(await (await ask('/refs', {}, empty.id)).json()).toMatchObject({ head: null, branches: [] });
  });

  test('a changed default branch is shown at once', async () => {
    await client.run('read', 'push', '-q', url, 'main:develop');
    const path = { implementationId: made.id };
    await kethub.client.updateImplementation({ ...path, json: { defaultBranch: 'develop' } });
    expect(await read('/refs')).toMatchObject({ defaultBranch: 'develop', head: commits[1] });
    const found = await kethub.client.getImplementation(path);
    expect(found).toMatchObject({ head: commits[1], buildable: 'PYTHON_TEMPLATE' });
    expect(await client.run('', 'ls-remote', '--symref', url, 'HEAD')).toContain('refs/heads/develop');
  });
});
