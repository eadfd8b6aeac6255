import { symlink, writeFile } from 'node:fs/promises';
import type { GitClient } from '@kethub/server/testing/git-client';

export const AWKWARD_NAMES = ['#?%2F"\'.txt', 'a\nb.txt', '-dash.txt', 'evil\u202egnp.exe'];
/** A branch whose name has signs that mean something in an address. */
export const AWKWARD_BRANCH = 'feature/ä#%&+=';
export const LONG_MESSAGE = `${'long '.repeat(12_000)}end`;
/** A branch that looks like a number in an address. */
export const NUMBER_BRANCH = '2024';

export const AWKWARD_README = [
  'Solver',
  '======',
  '',
  '| Name | Meaning |',
  '|------|:-------:|',
  '| `x`  | **first** |',
  '| <b>y</b> | [guide](pages/guide.md) |',
  '',
  '- [x] written',
  '  1. nested',
  '- [ ] measured',
  '',
  '```python',
  'def run():  # colours',
  '```',
  '',
  '<img src=x onerror=alert(1)>',
].join('\n');

/** Commits whatever a page of a repository could stumble over. Returns the newest commit and the one before the merge. */
export async function makeAwkward(client: GitClient, folder: string): Promise<{ merge: string; before: string }> {
  const names = Object.fromEntries(AWKWARD_NAMES.map((name) => [name, `content of ${name}\n`]));
  await client.commit(folder, {
    ...names,
    'README.md': AWKWARD_README,
    'pages/guide.md': '# Guide\n',
    'no-end.txt': 'without an end',
    'crlf.txt': 'one\r\ntwo\r\n',
    'utf16.txt': Buffer.from('\ufeffsixteen', 'utf16le'),
    'latin1.txt': Buffer.from('café\n', 'latin1'),
    'picture.bin': Buffer.from([0, 1, 2]),
    'former.py': 'def run():\n    return 1\n'.repeat(20),
    'large/README.md': 'a'.repeat(5 * 1024 * 1024),
    'linked/b.txt': 'b\n',
  });
  await symlink('../pages/guide.md', client.at(folder, 'linked/README.md'));
  const sub = '1'.repeat(40);
  await client.run(folder, 'update-index', '--add', '--cacheinfo', `160000,${sub},sub`);
  await client.run(folder, 'add', 'linked');
  await client.run(folder, 'commit', '-q', '-m', 'a link and a submodule');
  await client.run(folder, 'checkout', '-q', '-b', 'side');
  await client.run(folder, 'mv', 'former.py', 'later.py');
  await writeFile(client.at(folder, 'picture.bin'), Buffer.from([0, 9, 9]));
  // Without --all, which would take the submodule out again.
  await client.run(folder, 'commit', '-q', '-m', 'renamed and binary', 'picture.bin', 'former.py', 'later.py');
  await client.run(folder, 'commit', '-q', '--allow-empty', '--author=Nobody <>', '-m', LONG_MESSAGE);
  const before = await client.run(folder, 'rev-parse', 'HEAD');
  await client.run(folder, 'checkout', '-q', 'main');
  await client.run(folder, 'merge', '-q', '--no-ff', '-m', 'merged', 'side');
  for (const branch of [AWKWARD_BRANCH, NUMBER_BRANCH]) await client.run(folder, 'branch', branch, before);
  return { merge: await client.run(folder, 'rev-parse', 'HEAD'), before };
}

/** A repository with 20,000 files in one folder and 5,000 commits, as input of `git fast-import`. */
export function largeHistory(): string {
  const who = 'Ada <ada@example.org> 1700000000 +0000';
  const files = Array.from({ length: 20_000 }, (_, index) => `M 100644 :1 many/f${index}.txt\n`);
  const commits = Array.from(
    { length: 4_999 },
    (_, index) => `commit refs/heads/main\ncommitter ${who}\ndata 6\nc ${String(index).padStart(4, '0')}\n`,
  );
  return `blob\nmark :1\ndata 5\nmany\n\ncommit refs/heads/main\ncommitter ${who}\ndata 5\nfirst\n${files.join('')}${commits.join('')}`;
}
