import { isRefName, type BranchProtection } from '@kethub/contract';
import { Problem } from '../../foundation/http/index.ts';
import type { ImplementationRow } from '../../foundation/storage/index.ts';

type Columns = Pick<ImplementationRow, 'protects_default' | 'protected_patterns'>;

export function presentProtection({ protects_default, protected_patterns }: Columns): BranchProtection {
  return { defaultBranch: protects_default === 1, patterns: JSON.parse(protected_patterns) as string[] };
}

/** The columns of a protection. Throws invalid-request for a pattern that no branch can fit. */
export function protectionColumns({ defaultBranch, patterns }: BranchProtection): Columns {
  const wrong = patterns.findIndex((pattern) => !isRefName(pattern.replaceAll('*', 'x')));
  if (wrong >= 0)
    throw new Problem('invalid-request', `The pattern ${JSON.stringify(patterns[wrong])} fits no branch.`, {
      errors: [{ pointer: `/protection/patterns/${wrong}`, detail: 'fits no branch' }],
    });
  return { protects_default: defaultBranch ? 1 : 0, protected_patterns: JSON.stringify([...new Set(patterns)]) };
}

/** The patterns of all protected branches, for the hook: one a line. No name of a branch has a line end. */
export function protectedBranches(row: Columns & Pick<ImplementationRow, 'default_branch'>): string {
  const { defaultBranch, patterns } = presentProtection(row);
  return [...(defaultBranch ? [row.default_branch] : []), ...patterns].join('\n');
}
