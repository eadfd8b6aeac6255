import { expect, test } from 'vitest';
import { languageOf, linesOf, tokensOf, type LanguageName } from './code-tokens.ts';

const kindsOf = (text: string, language: LanguageName) =>
  tokensOf(text, language, 1_000).filter(([kind]) => kind !== 'plain');

test.each([
  ['src/program.py', 'python'],
  ['Dockerfile', 'docker'],
  ['a.b/Makefile', 'shell'],
  ['model.BPMN', 'markup'],
  ['constructor', null],
  ['x.__proto__', null],
  ['LICENSE', null],
])('%s is %s', (path, language) => expect(languageOf(path)).toBe(language));

test('Python: words, texts over several lines, comments and numbers', () =>
  expect(kindsOf('def f(x):  # one\n  return """a\n# b""" + "c\\"d" + 1.5e-3 + definition', 'python')).toEqual([
    ['keyword', 'def'],
    ['comment', '# one'],
    ['keyword', 'return'],
    ['text', '"""a\n# b"""'],
    ['text', '"c\\"d"'],
    ['number', '1.5e-3'],
  ]));

test('markup: elements, values and comments', () =>
  expect(kindsOf('<a href="x">1 > "y" <!-- <b> --></a>', 'markup').map(([kind, text]) => `${kind} ${text}`)).toEqual([
    'keyword a',
    'text "x"',
    'number 1',
    'comment <!-- <b> -->',
    'keyword a',
  ]));

const LANGUAGES = [
  'python',
  'javascript',
  'c',
  'rust',
  'julia',
  'shell',
  'data',
  'sql',
  'css',
  'markup',
  'json',
] as const;
const HOSTILE = ['/*', '"', "'", '"""', "'''", '`', '\\', '<!--', '="', '#=', '-- ', '1', 'a', '\n', '0e', '(', '</'];

test.each(LANGUAGES)(
  'nothing is lost of any text in %s, and nothing takes more than its length',
  (language) => {
    for (const one of HOSTILE) {
      // 250,000 characters in quadratic time would take minutes, and so fail by the limit of the test.
      const text = one.repeat(Math.ceil(250_000 / one.length));
      const tokens = tokensOf(text, language, text.length);
      expect(tokens.map(([, part]) => part).join('') === text).toBe(true);
      const lines = linesOf(tokens).map((line) => line.map(([, part]) => part).join(''));
      expect(lines.join('\n') === text).toBe(true);
    }
  },
  30_000,
);
