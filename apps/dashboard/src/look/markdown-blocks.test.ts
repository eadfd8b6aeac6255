import { expect, test } from 'vitest';
import { blocksOf, type Block } from './markdown-blocks.ts';
import { spansOf } from './markdown-spans.ts';

const paragraph = (text: string): Block => ({ type: 'paragraph', text });
const item = (...blocks: Block[]) => ({ isDone: null, blocks });

test('blocks: headings, lists, quotes, code, and paragraphs of several lines', () => {
  const text = '# Title\nOne\ntwo\n\n- a\n- b\n1. c\n> said\n```python\n# no heading\n<script>\n```\nend';
  expect(blocksOf(text)).toEqual([
    { type: 'heading', level: 1, text: 'Title' },
    { type: 'paragraph', text: 'One two' },
    { type: 'list', isOrdered: false, first: 1, items: [item(paragraph('a')), item(paragraph('b'))] },
    { type: 'list', isOrdered: true, first: 1, items: [item(paragraph('c'))] },
    { type: 'quote', blocks: [paragraph('said')] },
    { type: 'code', text: '# no heading\n<script>', language: 'python' },
    { type: 'paragraph', text: 'end' },
  ]);
});

test('a table has a line of dashes below its head; other lines with bars are a paragraph', () => {
  expect(blocksOf('Before\n| a | |\n|---|:-:|\n| `x` | y \\| z | more |\n| w\n\nA | B\nC | D')).toEqual([
    paragraph('Before'),
    { type: 'table', head: ['a', ''], rows: [['`x`', 'y | z'], ['w']] },
    paragraph('A | B C | D'),
  ]);
});

test('a block of code that never ends takes the rest', () =>
  expect(blocksOf('```\na\n\nb')).toEqual([{ type: 'code', text: 'a\n\nb', language: '' }]));

test('lists lie within each other, with tasks and code', () => {
  const text = [
    '- [x] a',
    '  more',
    '',
    '  1. one',
    '     ```sh',
    '     run',
    '     ```',
    '  2. two',
    '- [ ] b',
    '',
    'end',
  ];
  const inner: Block = {
    type: 'list',
    isOrdered: true,
    first: 1,
    items: [item(paragraph('one'), { type: 'code', text: 'run', language: 'sh' }), item(paragraph('two'))],
  };
  expect(blocksOf(text.join('\n'))).toEqual([
    {
      type: 'list',
      isOrdered: false,
      first: 1,
      items: [
        { isDone: true, blocks: [paragraph('a more'), inner] },
        { isDone: false, blocks: [paragraph('b')] },
      ],
    },
    paragraph('end'),
  ]);
});

test('tables, rules, underlined headings and indented code', () => {
  const table = '| a | b |\n|---|:-:|\n| `x\\|y` | 2 | 3 |\n| 4 |';
  expect(blocksOf(`${table}\n\nTitle\n=====\nSub\n---\n\n---\n\n    pip install x\n\n    run`)).toEqual([
    {
      type: 'table',
      head: ['a', 'b'],
      rows: [['`x|y`', '2'], ['4']],
    },
    { type: 'heading', level: 1, text: 'Title' },
    { type: 'heading', level: 2, text: 'Sub' },
    { type: 'rule' },
    { type: 'code', text: 'pip install x\n\nrun', language: '' },
  ]);
  expect(blocksOf('a | b\nno table')).toEqual([paragraph('a | b no table')]);
});

test('emphasis, titles of links, badges, escaped signs and bare addresses', () => {
  expect(
    spansOf(String.raw`_a_ b_c_d __e__ ~~f~~ \*g\* [h](i.md "T") [![j](https://k/l.svg)](https://m/) https://n/o.`),
  ).toEqual([
    { type: 'emphasis', text: 'a' },
    { type: 'text', text: ' b_c_d ' },
    { type: 'strong', text: 'e' },
    { type: 'text', text: ' ' },
    { type: 'struck', text: 'f' },
    { type: 'text', text: ' ' },
    { type: 'text', text: '*' },
    { type: 'text', text: 'g' },
    { type: 'text', text: '*' },
    { type: 'text', text: ' ' },
    { type: 'relative', text: 'h', address: 'i.md', isPicture: false, whole: '[h](i.md "T")' },
    { type: 'text', text: ' ' },
    { type: 'link', text: 'j', href: 'https://m/' },
    { type: 'text', text: ' ' },
    { type: 'link', text: 'https://n/o', href: 'https://n/o' },
    { type: 'text', text: '.' },
  ]);
});

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

test('signs that close a heading are no part of it', () =>
  expect(blocksOf('# a   ##\n# b#\n# c # d #').map((one) => 'text' in one && one.text)).toEqual(['a', 'b#', 'c # d']));

test('a text that is made to be slow is not', () => {
  for (const part of [
    '*',
    '[',
    '`',
    '**a',
    '[a](',
    '# ',
    '> ',
    '- ',
    '- a\n  ',
    '_a ',
    '``a`',
    '|a',
    '[![',
    'http://a(',
    '\t',
    '#',
  ])
    expect(
      blocksOf(part.repeat(50_000)).flatMap((one) => ('text' in one ? spansOf(one.text) : [])).length,
    ).toBeDefined();
  for (const gap of ['\t', ' ', ' #'])
    expect(blocksOf(`# a${gap.repeat(99_990 / gap.length)}x`)).toMatchObject([{ type: 'heading' }]);
  const nested = Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}- a`).join('\n');
  expect(JSON.stringify(blocksOf(nested)).split('"list"')).toHaveLength(9);
});
