import { checkOpenings } from './openings.ts';
import { run } from './run.ts';
import { checkSentences } from './sentences.ts';

const folders = ['apps', 'packages', 'script', 'bench', 'test'];

/** Checks first words and sentences of texts, types, rules (also those of import, see ARCHITECTURE.md) and format. Returns whether all hold. */
export async function check(): Promise<boolean> {
  const results = {
    'first words': checkOpenings(),
    sentences: checkSentences(),
    types: await run('types', 'tsc', ['-p', '.']),
    // The dashboard runs in a browser: other types, and JSX.
    'types of the dashboard': await run('types of the dashboard', 'tsc', ['-p', 'apps/dashboard']),
    rules: await run('rules', 'oxlint', ['--type-aware', ...folders]),
    format: await run('format', 'oxfmt', ['--check', ...folders]),
  };
  const failed = Object.entries(results).flatMap(([name, holds]) => (holds ? [] : [name]));
  if (failed.length > 0) process.stderr.write(`\n── check: FAILED in ${failed.join(', ')}; the reasons stand above\n`);
  return failed.length === 0;
}
