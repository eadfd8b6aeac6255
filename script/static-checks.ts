import { checkOpenings } from './openings.ts';
import { run } from './run.ts';
import { checkSentences } from './sentences.ts';

const folders = ['apps', 'packages', 'script', 'bench', 'test'];

/** Checks first words and sentences of texts, types, rules (also those of import, see ARCHITECTURE.md) and format. Returns whether all hold. */
export async function check(): Promise<boolean> {
  const results = [
    checkOpenings(),
    checkSentences(),
    await run('types', 'tsc', ['-p', '.']),
    // The dashboard runs in a browser: other types, and JSX.
    await run('types of the dashboard', 'tsc', ['-p', 'apps/dashboard']),
    await run('rules', 'oxlint', ['--type-aware', ...folders]),
    await run('format', 'oxfmt', ['--check', ...folders]),
  ];
  return results.every(Boolean);
}
