import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './run.ts';

// Length of sentences (CONTRIBUTING.md, Style): in comments, in the texts of the code, and on pages.

const MOST_WORDS = 25;

const CODE = '{apps,packages,script,bench,test}/**/*.{ts,tsx,cjs,css,py,sql}';
const PAGES = '{*.md,{docs,packages,examples,apps,bench,test,script}/**/*.md}';
/** Generated from texts that are judged where they are written; licences of others; samples of other tools. */
const NOT_OURS = ['**/node_modules/**', '**/dist/**', '**/.kethub/**', '**/generated/**', '**/corpus/**'];
/** Files whose literals nobody reads but tests and measurements. Their comments are judged. */
const LITERALS_FOR_TESTS = /\.test\.|\/testing\/|^apps\/dashboard\/test\/|^(?:test|bench|script)\/|\.stand-in\./;

const TEMPLATE = '`(?:\\\\[^]|\\$\\{(?:[^{}`]|`[^`]*`|\\{[^{}]*\\})*\\}|[^`\\\\])*`';
const LITERAL = `(?:'(?:\\\\.|[^'\\\\\\n])*'|"(?:\\\\.|[^"\\\\\\n])*"|${TEMPLATE})`;
/** A regular expression is passed over, because it may hold a quotation mark. */
const EXPRESSION = '(?<=[=(,:[!&|?;{}]\\s*)/(?![*/])(?:\\\\.|\\[(?:\\\\.|[^\\]\\\\\\n])*\\]|[^/\\\\\\n[])+/[a-z]*';
/** Comments and literals of each kind of source. Lines of a comment, and literals that are added up, are one text. */
const TEXTS: Readonly<Record<string, RegExp>> = {
  ts: new RegExp(
    `/\\*[^]*?\\*/|(?:^[ \\t]*//[^\\n]*\\n?)+|(?<!:)//[^\\n]*|${EXPRESSION}|${LITERAL}(?:\\s*\\+\\s*${LITERAL})*`,
    'gm',
  ),
  py: /"""[\s\S]*?"""|(?:^[ \t]*#[^\n]*\n?)+|#[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/gm,
  sql: /(?:^[ \t]*--[^\n]*\n?)+|--[^\n]*/gm,
  css: /\/\*[\s\S]*?\*\//g,
};
/** Lines of programs, queries and markup that stand in a literal. */
const PROGRAM =
  /[;{>]\s*\n|=\s*\{|<\/|\bimport |(?:\\n|\b)def |\{\s*[\w-]+: [^{};]*;|\n\s*(?:for|if|do|done|RUN|WHERE) |^\s*[`'"](?:SELECT|INSERT|UPDATE)\b/i;
/** A list of names has none of these words. */
const PROSE = /(?:^|\s)(?:a|an|the|is|are|of|to|and|or|in|it|that|which)\s/;

/** An end of a sentence: its mark, a blank line, the beginning of an item, a tag or a row with columns. */
const END =
  /[.?!][)"'*_\]]*(?=\s|$)|\n\s*\n|:\s*\n(?=\s*[-*`|])|\n(?=\s*(?:[-*•] |\d+\. |#+ |@\w|[^\n]*\S {3,}\S| {4}))/g;

interface LongSentence {
  readonly line: number;
  readonly words: number;
  readonly sentence: string;
}

/** Reports sentences of too many words. Returns true if there are none. */
export function checkSentences(): boolean {
  const files = [CODE, PAGES].flatMap((pattern) => globSync(pattern, { cwd: root, exclude: NOT_OURS })).toSorted();
  const found = files.flatMap((file) =>
    longSentencesOf(file, readFileSync(path.join(root, file), 'utf8')).map(
      ({ line, words, sentence }) => `${file}:${line}: ${words} words: ${sentence}`,
    ),
  );
  if (found.length === 0) return true;
  console.error(`A sentence has at most ${MOST_WORDS} words (CONTRIBUTING.md, Style):\n${found.join('\n')}`);
  return false;
}

/** Long sentences of a source or of a page of Markdown. */
export function longSentencesOf(file: string, text: string): LongSentence[] {
  const extension = path.extname(file).slice(1);
  if (extension === 'md') return longSentences(proseOfPage(text));
  const pattern = TEXTS[['tsx', 'cjs'].includes(extension) ? 'ts' : extension];
  if (!pattern) return [];
  const found: LongSentence[] = [];
  const rest = text.replaceAll(pattern, (piece, index: number) => {
    const isLiteral = /^['"`]/.test(piece) && !(extension === 'py' && piece.startsWith('"""'));
    const isJudged = isLiteral ? !LITERALS_FOR_TESTS.test(file) && !PROGRAM.test(piece) : !/^\/[^/*]/.test(piece);
    if (isJudged)
      found.push(...longSentences(isLiteral ? proseOfLiteral(piece) : proseOfComment(piece), lineAt(text, index)));
    return piece.replaceAll(/[^\n]/g, isLiteral ? '_' : ' ');
  });
  // Text between the tags of a page.
  if (extension === 'tsx')
    for (const { 0: piece, index } of rest
      .replaceAll(/\{[^{}]*\}/g, (one) => one.replaceAll(/\S/g, '_'))
      .matchAll(/(?<=[^=]>)[^<>{};=]+(?=<)/g))
      found.push(...longSentences(piece, lineAt(rest, index)));
  return found;
}

function proseOfComment(comment: string): string {
  const opening = /^\s*(?:\/\*\*?|\*\/|\*(?!\*)|\/\/|#|--|""")?\s?/;
  const lines = comment.split('\n').map((line) => line.replace(opening, '').replace(/\s*(?:\*\/|""")\s*$/, ''));
  return lines.join('\n');
}

function proseOfLiteral(literal: string): string {
  return literal
    .replaceAll(/['"`]\s*\+\s*['"`]/g, (joint) => joint.replaceAll(/[^\n]/g, ''))
    .replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '0')
    .replaceAll(/^['"`]|['"`]$/g, '')
    .replaceAll('\\n', '\n\n');
}

/** The page without code, tables and addresses of links. */
function proseOfPage(page: string): string {
  return page
    .replaceAll(/^ *```[\s\S]*?^ *```/gm, (block) => block.replaceAll(/[^\n]/g, ''))
    .replaceAll(/^\s*\|.*$/gm, '')
    .replaceAll(/\]\([^)\n]*\)/g, ']');
}

/** Long sentences of a text that begins on this line. Code in backticks is one word. */
export function longSentences(text: string, firstLine = 1): LongSentence[] {
  const prose = text
    .replaceAll(/`[^`\n]*`/g, (code) => 'c'.repeat(code.length))
    .replaceAll(/\b(?:e\.g|i\.e|al|vs)\./g, (one) => one.replaceAll('.', '_'));
  const found: LongSentence[] = [];
  let start = 0;
  for (const end of [...prose.matchAll(END)].map(({ 0: mark, index }) => index + mark.length).concat(prose.length)) {
    const sentence = text.slice(start, end);
    const words = prose
      .slice(start, end)
      .split(/\s+/)
      .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
    const blanks = /^\s*/.exec(sentence)?.[0].length ?? 0;
    if (words > MOST_WORDS && PROSE.test(sentence))
      found.push({
        line: firstLine + lineAt(text, start + blanks) - 1,
        words,
        sentence: sentence.replaceAll(/\s+/g, ' ').trim(),
      });
    start = end;
  }
  return found;
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
