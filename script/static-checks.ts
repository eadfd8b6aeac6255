import { run } from './run.ts';

const folders = ['apps', 'packages', 'script', 'bench', 'test'];

/** Types, rules (also those of import, see ARCHITECTURE.md) and format. Returns whether all hold. */
export function check(): boolean {
  const results = [
    run('types', 'tsc', ['-p', '.']),
    run('rules', 'oxlint', ['--type-aware', ...folders]),
    run('format', 'oxfmt', ['--check', ...folders]),
  ];
  return results.every(Boolean);
}
