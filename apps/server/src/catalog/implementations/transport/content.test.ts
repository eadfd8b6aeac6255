import type { Implementation } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { databases } from '../../../testing/databases.ts';
import { GitClient, gitTokenOf } from '../../../testing/git-client.ts';
import {
  FLUSH,
  idOf,
  linesOf,
  packet,
  packOf,
  pushOf,
  ZERO_ID,
  type PackedDelta,
  type PackedObject,
} from '../../../testing/git-packets.ts';
import { RawGit, repositoryOf, requireWhole, untilQuiet } from '../../../testing/git-raw.ts';
import { startTestKethub, type TestKethub } from '../../../testing/kethub.ts';

vi.setConfig({ testTimeout: 180_000 });

const FILE_MB = 3;
/** Names that some file system takes for `.git`. */
const DOT_GIT = ['.git', '.GIT', '.Git', 'git~1', 'GIT~1', '.g\u200cit', '.git.', '.git '];

describe.each(databases())('hostile objects and refs on $name', (kind) => {
  let kethub: TestKethub;
  let client: GitClient;
  let token: string;

  beforeAll(async () => {
    kethub = await startTestKethub(kind, { KETHUB_REPOSITORY_FILE_MB: String(FILE_MB) });
    client = await GitClient.open();
    token = await gitTokenOf(kethub.client);
  });
  afterAll(async () => {
    await client.close();
    await kethub.close();
  });

  const create = (name: string) => kethub.client.createImplementation({ json: { name } });
  const urlOf = ({ cloneUrl }: Implementation) => cloneUrl.replace('://', `://x:${token}@`);
  /** A repository with one commit on main. */
  const started = async (name: string) => {
    const made = await create(name);
    const tip = await client.commit(name, { 'a.txt': '1' });
    await client.run(name, 'push', '-q', urlOf(made), 'main');
    return { made, tip, raw: new RawGit(made, token), repository: repositoryOf(kethub, made) };
  };
  /** Makes a commit of a tree of any lines, as `git mktree` takes them. Returns its id. */
  const commitOf = async (folder: string, tree: string): Promise<string> => {
    const id = (await client.bytes(folder, tree, 'mktree', '-z', '--missing')).toString().trim();
    return client.run(folder, 'commit-tree', id, '-m', 'hostile');
  };
  const blobOf = async (folder: string, content: string): Promise<string> =>
    (await client.bytes(folder, content, 'hash-object', '-w', '--stdin')).toString().trim();

  test('a file with a name that some system takes for .git is refused, whatever its case', async () => {
    const { made, repository } = await started('dot-git');
    const blob = await blobOf('dot-git', '[core]\n');
    for (const name of DOT_GIT) {
      const file = await commitOf('dot-git', `100644 blob ${blob}\t${name}\0`);
      const inner = (await client.bytes('dot-git', `100644 blob ${blob}\tconfig\0`, 'mktree', '-z')).toString().trim();
      const folder = await commitOf('dot-git', `040000 tree ${inner}\t${name}\0`);
      for (const commit of [file, folder]) {
        const { code, err } = await client.try('dot-git', 'push', urlOf(made), `${commit}:refs/heads/bad`);
        expect([name, code === 0, /hasDotgit|contains '\.git'/.test(err)]).toEqual([name, false, true]);
      }
    }
    await untilQuiet(repository);
    expect(await client.run('dot-git', 'ls-remote', '--heads', urlOf(made))).not.toContain('bad');
  });

  test('a .gitmodules that is a link or runs a program, and names with slashes, are refused', async () => {
    const { made } = await started('modules');
    const target = await blobOf('modules', '/etc/passwd');
    const hostile = await blobOf('modules', '[submodule "x"]\n\tpath = x\n\turl = --upload-pack=touch x\n');
    const command = await blobOf('modules', '[submodule "x"]\n\tpath = x\n\turl = x\n\tupdate = !touch x\n');
    const inside = await blobOf('modules', '[submodule "../../x"]\n\tpath = x\n\turl = https://example.org/x\n');
    for (const [line, reason] of [
      [`120000 blob ${target}\t.gitmodules\0`, /gitmodulesSymlink/],
      [`120000 blob ${target}\t.GITMODULES\0`, /gitmodulesSymlink/],
      [`100644 blob ${hostile}\t.gitmodules\0`, /gitmodulesUrl/],
      [`100644 blob ${command}\t.gitmodules\0`, /gitmodulesUpdate/],
      [`100644 blob ${inside}\t.gitmodules\0`, /gitmodulesName/],
      [`100644 blob ${target}\t..\0`, /hasDotdot/],
    ] as const) {
      const commit = await commitOf('modules', line);
      const { code, err } = await client.try('modules', 'push', urlOf(made), `${commit}:refs/heads/bad`);
      expect([line, code === 0, err]).toEqual([line, false, expect.stringMatching(reason)]);
    }
  });

  test('refs with dots, line ends, U+0000 or very long names are refused, and nothing is made', async () => {
    const { raw, tip, repository, made } = await started('refs');
    for (const ref of [
      'refs/heads/a..b',
      'refs/heads/../../x',
      'refs/heads/.hidden',
      'refs/heads/a.lock',
      'refs/heads/-option/@{1}',
      'refs/heads/two\nlines',
      'refs/heads/a b',
      'refs/heads/\u0001',
      'HEAD',
      'config',
      `refs/heads/${'x'.repeat(4_096)}`,
      'refs/heads/x\0 report-status',
    ]) {
      const { status, body } = await raw.push(pushOf([{ ref, to: tip }]));
      const answer = body.toString();
      const isMade = status === 200 && linesOf(body).some((line) => line.startsWith('ok '));
      // Text after U+0000 is a list of capabilities, so that the ref before it is what is pushed.
      expect([ref.slice(0, 30), isMade, answer]).toEqual([ref.slice(0, 30), ref.includes('\0'), expect.anything()]);
    }
    await untilQuiet(repository);
    const refs = await client.run('refs', 'ls-remote', urlOf(made));
    expect(refs.split('\n').map((line) => line.split('\t')[1])).toEqual(['HEAD', 'refs/heads/main', 'refs/heads/x']);
  });

  test('a pack of one file that unpacks to very much is refused by the size of the file', async () => {
    const { raw, repository } = await started('bomb');
    const blob: PackedObject = { type: 'blob', content: Buffer.alloc(256 * 1024 * 1024) };
    const entry = `100644 zeros\0`;
    const tree: PackedObject = {
      type: 'tree',
      content: Buffer.concat([Buffer.from(entry), Buffer.from(idOf(blob), 'hex')]),
    };
    const commit = commitObject(tree);
    const pack = packOf([blob, tree, commit]);
    expect(pack.length).toBeLessThan(1024 * 1024);
    const { body } = await raw.push(pushOf([{ ref: 'refs/heads/bomb', to: idOf(commit) }], pack));
    expect(linesOf(body).join('')).toMatch(/ng refs\/heads\/bomb/);
    await untilQuiet(repository);
  });

  test('a chain of 4,095 deltas is taken, read and cloned', async () => {
    const { made, raw, repository } = await started('chain');
    const first = Buffer.from('x'.repeat(200));
    const entries: (PackedObject | PackedDelta)[] = [{ type: 'blob', content: first }];
    let content = first;
    for (let depth = 1; depth <= 4_095; depth++) {
      const added = Buffer.from(String(depth).padStart(5, '0'));
      entries.push({ baseBytes: content.length, copied: 200, added });
      content = Buffer.concat([first, added]);
    }
    const tree: PackedObject = {
      type: 'tree',
      content: Buffer.concat([Buffer.from('100644 deep.txt\0'), Buffer.from(idOf({ type: 'blob', content }), 'hex')]),
    };
    const commit = commitObject(tree);
    const { body } = await raw.push(
      pushOf([{ ref: 'refs/heads/deep', to: idOf(commit) }], packOf([...entries, tree, commit])),
    );
    expect(linesOf(body).join('')).toContain('ok refs/heads/deep');
    await client.run('', 'clone', '-q', '-b', 'deep', urlOf(made), 'deep-clone');
    const file = await kethub.client.readImplementationFile({
      implementationId: made.id,
      ref: 'deep',
      path: 'deep.txt',
    });
    expect(await file.text()).toBe(content.toString());
    await requireWhole(client, repository);
  });

  test('ids that no ref reaches are refused where the protocol allows it, and unknown ids everywhere', async () => {
    const { made, raw, tip } = await started('wants');
    const gone = await client.commit('wants', { 'secret.txt': 'removed' });
    await client.run('wants', 'push', '-q', urlOf(made), 'main');
    const protection = { defaultBranch: false, patterns: [] };
    await kethub.client.updateImplementation({ implementationId: made.id, json: { protection } });
    await client.run('wants', 'push', '-q', '--force', urlOf(made), `${tip}:main`);
    const v0 = (id: string) => Buffer.concat([packet(`want ${id} ofs-delta\n`), FLUSH, packet('done\n')]);
    const v2 = (id: string) =>
      Buffer.concat([packet('command=fetch\n'), Buffer.from('0001'), packet(`want ${id}\n`), packet('done\n'), FLUSH]);
    const asked = async (body: Buffer, version: string) =>
      (await raw.fetch(body, { 'git-protocol': `version=${version}` })).body.toString('latin1');
    expect(await asked(v0(tip), '0')).toContain('PACK');
    expect(await asked(v0(gone), '0')).toContain('not our ref');
    for (const unknown of ['1'.repeat(40), ZERO_ID]) {
      expect(await asked(v0(unknown), '0')).not.toContain('PACK');
      expect(await asked(v2(unknown), '2')).not.toContain('PACK');
    }
    // Protocol 2 of Git gives any object whose id is known; docs/decisions.md says so.
    expect(await asked(v2(gone), '2')).toContain('PACK');
  });
});

function commitObject(tree: PackedObject): PackedObject {
  const person = 'Ada <ada@example.org> 1700000000 +0000';
  return {
    type: 'commit',
    content: Buffer.from(`tree ${idOf(tree)}\nauthor ${person}\ncommitter ${person}\n\nhostile\n`),
  };
}
