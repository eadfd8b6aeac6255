import path from 'node:path';
import { globSync, readFileSync } from 'node:fs';
import { run, root } from './run.ts';

export const folders = ['apps', 'packages', 'script', 'bench', 'test'];

/** Checks types, rules (also those of import, see ARCHITECTURE.md) and format. Returns whether all hold. */
export async function check(): Promise<boolean> {
  const results = [
    await run('types', 'tsc', ['-p', '.']),
    // The dashboard runs in a browser: other types, and JSX.
    await run('types of the dashboard', 'tsc', ['-p', 'apps/dashboard']),
    await run('rules', 'oxlint', ['--type-aware', ...folders]),
    await run('format', 'oxfmt', ['--check', ...folders]),
  ];
  return results.every(Boolean);
}

const WORDS = '(Of|What|Who|Whoever|Whatever|Which|Whether|How|Where)';
/** A comment that begins on this line, and its first word where that is one of these. */
const LINE = new RegExp(`^(.*?\\s)??(?://|--|#|/\\*\\*?|""")\\s*${WORDS}\\b`, 'u');
const BLOCK_LINE = new RegExp(`^\\s*\\*\\s*${WORDS}\\b`, 'u');
const BLOCK_START = /^\s*\/\*\*?$/u;
const LINE_COMMENT = /^\s*(?:\/\/|--|#)\s*\S/u;

/**
 * Reports the comments that do not begin with a noun or a verb, judged by their first word. Returns whether there
 * is none. Lines that continue a comment may begin with any word.
 */
export function checkCommentOpenings(folders: readonly string[]): boolean {
  const files = globSync(`{${folders.join(',')}}/**/*.{ts,tsx,cjs,css,py,sql}`, {
    cwd: root,
    exclude: ['**/node_modules/**', '**/generated/**', '**/dist/**', '**/.kethub/**'],
  });
  const found = files.flatMap((file) =>
    badOpenings(readFileSync(path.join(root, file), 'utf8')).map(({ line, word }) => `${file}:${line}: ${word}`),
  );
  if (found.length === 0) return true;
  console.error(`Comments begin with a noun or a verb (CONTRIBUTING.md, Style):\n${found.join('\n')}`);
  return false;
}

function badOpenings(text: string): { line: number; word: string }[] {
  const lines = text.split('\n');
  return lines.flatMap((content, index) => {
    const previous = lines[index - 1] ?? '';
    const word = BLOCK_START.test(previous)
      ? BLOCK_LINE.exec(content)?.[1]
      : LINE_COMMENT.test(previous) && LINE_COMMENT.test(content)
        ? undefined
        : LINE.exec(content)?.[2];
    return word === undefined ? [] : [{ line: index + 1, word }];
  });
}
