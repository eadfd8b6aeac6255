import { checkCommentOpenings } from './comment-openings.ts';
import { run } from './run.ts';

const folders = ['apps', 'packages', 'script', 'bench', 'test'];

/**
 * Checks types, rules (also those of import, see ARCHITECTURE.md), format, and how comments begin. Returns whether all
 * hold.
 */
export async function check(): Promise<boolean> {
  const results = [
    checkCommentOpenings(folders),
    await run('types', 'tsc', ['-p', '.']),
    // The dashboard runs in a browser: other types, and JSX.
    await run('types of the dashboard', 'tsc', ['-p', 'apps/dashboard']),
    await run('rules', 'oxlint', ['--type-aware', ...folders]),
    await run('format', 'oxfmt', ['--check', ...folders]),
  ];
  return results.every(Boolean);
}
