import { run } from './run.ts';

const folders = ['apps', 'packages', 'script', 'bench', 'test'];

/** Types, rules (also those of import, see ARCHITECTURE.md) and format. Returns whether all hold. */
export async function check(): Promise<boolean> {
  const results = [
    await run('types', 'tsc', ['-p', '.']),
    await run('rules', 'oxlint', ['--type-aware', ...folders]),
    await run('format', 'oxfmt', ['--check', ...folders]),
  ];
  return results.every(Boolean);
}
