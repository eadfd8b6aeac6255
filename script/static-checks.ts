import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { checkOpenings } from './openings.ts';
import { root, run } from './run.ts';
import { checkSentences } from './sentences.ts';

const folders = ['apps', 'packages', 'script', 'bench', 'test'];

/**
 * Checks first words and sentences of texts, types, rules (also those of import, see ARCHITECTURE.md), format, and the
 * generated client. Returns whether all hold.
 */
export async function check(): Promise<boolean> {
  const results = {
    'first words': checkOpenings(),
    sentences: checkSentences(),
    types: await run('types', 'tsc', ['-p', '.']),
    // The dashboard runs in a browser: other types, and JSX.
    'types of the dashboard': await run('types of the dashboard', 'tsc', ['-p', 'apps/dashboard']),
    rules: await run('rules', 'oxlint', ['--type-aware', ...folders]),
    format: await run('format', 'oxfmt', ['--check', ...folders]),
    'generated client': await checkClient(),
  };
  const failed = Object.entries(results).flatMap(([name, holds]) => (holds ? [] : [name]));
  if (failed.length > 0) process.stderr.write(`\n── check: FAILED in ${failed.join(', ')}; the reasons stand above\n`);
  return failed.length === 0;
}

/** Starts a platform, whose OpenAPI documents the client is generated from. */
async function checkClient(): Promise<boolean> {
  process.stderr.write('\n── generated client\n');
  try {
    const { clientFilesOfCode } = await import('./generate/client.ts');
    const files = await clientFilesOfCode();
    const stale = files.filter(({ file, text }) => !existsSync(file) || readFileSync(file, 'utf8') !== text);
    for (const { file } of stale)
      process.stderr.write(`${path.relative(root, file)} is stale. Renew it: npm run generate\n`);
    process.stderr.write(`── generated client: ${stale.length === 0 ? 'passed' : 'FAILED'}\n`);
    return stale.length === 0;
  } catch (error) {
    process.stderr.write(`── generated client: FAILED, because no platform started: ${String(error)}\n`);
    return false;
  }
}
