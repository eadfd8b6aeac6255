import type { RepositoryRefs } from '@kethub/contract';
import type { Git } from '../git/git.ts';
import { timeOf } from './history.ts';

const FORMAT = '%(refname)%00%(objectname)%00%(*objectname)%00%(creatordate:unix)';
const REFS_BYTES = 8 * 1024 * 1024;

/** Reads the branches and tags of a repository. */
export async function readRefs(git: Git, repository: string): Promise<Pick<RepositoryRefs, 'branches' | 'tags'>> {
  const args = ['for-each-ref', `--format=${FORMAT}`, 'refs/heads', 'refs/tags'];
  const out = await git.output({ repository, access: 'READ', args }, '', REFS_BYTES);
  const rows = out
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [ref = '', object = '', target = '', seconds = ''] = line.split('\0');
      return { ref, commit: target === '' ? object : target, committedAt: timeOf(seconds) };
    });
  const below = (prefix: string) =>
    rows
      .filter(({ ref }) => ref.startsWith(prefix))
      .map(({ ref, ...rest }) => ({ name: ref.slice(prefix.length), ...rest }));
  return { branches: below('refs/heads/'), tags: below('refs/tags/') };
}
