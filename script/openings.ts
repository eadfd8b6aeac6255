import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './run.ts';

// First words of comments, descriptions and help texts: a noun or a verb (CONTRIBUTING.md, Style).

const WORDS = '(Of|What|Who|Whom|Whose|Whoever|Whatever|Which|Whether|How|Where|Why)';
/** A comment that begins on this line, and its first word where that is one of these. */
const LINE = new RegExp(`^(.*?\\s)??(?://|--|#|/\\*\\*?|""")\\s*${WORDS}\\b`, 'u');
const BLOCK_LINE = new RegExp(`^\\s*\\*\\s*${WORDS}\\b`, 'u');
const BLOCK_START = /^\s*\/\*\*?$/u;
const LINE_COMMENT = /^\s*(?:\/\/|--|#)\s*\S/u;
/** A text of the interfaces, the settings, the metrics or the dashboard, also one that stands on the next line. */
const DESCRIPTION = new RegExp(`\\b(?:description|summary|help)\\s*[:(=]\\s*\\{?\\s*['"\`]${WORDS}\\b`, 'gu');
/** A cell of a generated table, where the texts of settings, limits and metrics stand. */
const CELL = new RegExp(`\\| ${WORDS}\\b`, 'gu');

const SOURCES = '{apps,packages,script,bench,test}/**/*.{ts,tsx,cjs,css,py,sql}';
const TABLES = 'docs/{configuration,limits,monitoring,cli}.md';

/** Returns true for a text of one line or more that does not begin with a noun or a verb, judged by its first word. */
export function beginsBadly(text: string): boolean {
  return new RegExp(`^\\s*${WORDS}\\b`, 'iu').test(text);
}

/** Reports comments and descriptions that do not begin with a noun or a verb. Returns true if there are none. */
export function checkOpenings(): boolean {
  const found = filesOf(SOURCES).flatMap(({ file, text }) => [
    ...commentsOf(text).map((one) => `${file}:${one}`),
    ...(file.endsWith('.test.ts') ? [] : descriptionsOf(text).map((one) => `${file}:${one}`)),
  ]);
  found.push(...filesOf(TABLES).flatMap(({ file, text }) => matchesOf(CELL, text).map((one) => `${file}:${one}`)));
  if (found.length === 0) return true;
  console.error(`Comments and descriptions begin with a noun or a verb (CONTRIBUTING.md, Style):\n${found.join('\n')}`);
  return false;
}

function filesOf(pattern: string): { file: string; text: string }[] {
  const exclude = ['**/node_modules/**', '**/dist/**', '**/.kethub/**'];
  return globSync(pattern, { cwd: root, exclude }).map((file) => ({
    file,
    text: readFileSync(path.join(root, file), 'utf8'),
  }));
}

/** Comments with a bad first word, as `line: word`. Lines that continue a comment may begin with any word. */
export function commentsOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.flatMap((content, index) => {
    const previous = lines[index - 1] ?? '';
    const word = BLOCK_START.test(previous)
      ? BLOCK_LINE.exec(content)?.[1]
      : LINE_COMMENT.test(previous) && LINE_COMMENT.test(content)
        ? undefined
        : LINE.exec(content)?.[2];
    return word === undefined ? [] : [`${index + 1}: ${word}`];
  });
}

/** Descriptions with a bad first word, as `line: word`. */
export function descriptionsOf(text: string): string[] {
  return matchesOf(DESCRIPTION, text);
}

function matchesOf(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map(({ index, 0: match, 1: word }) => {
    const line = text.slice(0, index + match.length).split('\n').length;
    return `${line}: ${word}`;
  });
}
