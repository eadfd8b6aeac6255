import { expect, test } from 'vitest';
import { blocksOf, spansOf } from './markdown-blocks.ts';

test('blocks: headings, lists, quotes, code, and paragraphs of several lines', () => {
  const text = '# Title\nOne\ntwo\n\n- a\n- b\n1. c\n> said\n```python\n# no heading\n<script>\n```\nend';
  expect(blocksOf(text)).toEqual([
    { type: 'heading', level: 1, text: 'Title' },
    { type: 'paragraph', text: 'One two' },
    { type: 'list', isOrdered: false, items: ['a', 'b'] },
    { type: 'list', isOrdered: true, items: ['c'] },
    { type: 'quote', text: 'said' },
    { type: 'code', text: '# no heading\n<script>' },
    { type: 'paragraph', text: 'end' },
  ]);
});

test('a table has a line of dashes below its head; other lines with bars are a paragraph', () => {
  expect(blocksOf('Before\n| a | |\n|---|:-:|\n| `x` | y \\| z | more |\n| w\n\nA | B\nC | D')).toEqual([
    { type: 'paragraph', text: 'Before' },
    { type: 'table', head: ['a', ''], rows: [['`x`', 'y | z'], ['w']] },
    { type: 'paragraph', text: 'A | B C | D' },
  ]);
});

test('a block of code that never ends takes the rest', () =>
  expect(blocksOf('```\na\n\nb')).toEqual([{ type: 'code', text: 'a\n\nb' }]));

test('links lead to web pages only; everything else stays text', () => {
  expect(spansOf('see [docs](https://example.org/a) **now** `x`')).toEqual([
    { type: 'text', text: 'see ' },
    { type: 'link', text: 'docs', href: 'https://example.org/a' },
    { type: 'text', text: ' ' },
    { type: 'strong', text: 'now' },
    { type: 'text', text: ' ' },
    { type: 'code', text: 'x' },
  ]);
  for (const hostile of [
    '[a](javascript:alert)',
    '[a](data:text/html,x)',
    '[a](//evil.example/x)',
    '![a](\\\\evil.example)',
    '<img src=x onerror=alert(1)>',
  ])
    expect(spansOf(hostile)).toEqual([{ type: 'text', text: hostile }]);
});

test('a relative address is one of the text, which only its screen can resolve', () =>
  expect(spansOf('![a](/me/tokens)')).toEqual([
    { type: 'relative', text: 'a', address: '/me/tokens', isPicture: true, whole: '![a](/me/tokens)' },
  ]));

test('a text that is made to be slow is not', () => {
  for (const part of ['*', '[', '`', '**a', '[a](', '# ', '> ', '|', '|-|\n', '\\|'])
    expect(
      blocksOf(part.repeat(50_000)).flatMap((one) => ('text' in one ? spansOf(one.text) : [])).length,
    ).toBeDefined();
});
