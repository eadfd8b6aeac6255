import { expect, test } from 'vitest';
import { isQasm, qasmTokens } from './qasm.ts';

const PROGRAM = '// Bell\nOPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[2] q;\nrx(1.5e-3) q[0]; /* <b>done</b> */';

test('a program of OpenQASM is known by its first statement', () => {
  expect(isQasm(PROGRAM)).toBe(true);
  expect(isQasm('OPENQASM 2.0;')).toBe(true);
  expect(isQasm('a text about OPENQASM 2.0')).toBe(false);
});

test('the parts together are the text, and each has its kind', () => {
  const tokens = qasmTokens(PROGRAM);
  expect(tokens.map(([, text]) => text).join('')).toBe(PROGRAM);
  expect(tokens.filter(([kind]) => kind !== 'plain')).toEqual([
    ['comment', '// Bell'],
    ['keyword', 'OPENQASM'],
    ['number', '3.0'],
    ['keyword', 'include'],
    ['text', '"stdgates.inc"'],
    ['keyword', 'qubit'],
    ['number', '2'],
    ['number', '1.5e-3'],
    ['number', '0'],
    ['comment', '/* <b>done</b> */'],
  ]);
});

test('a long text, and a comment that never ends, are quick', () => {
  for (const part of ['/*', '"', 'qubit ', '1', '//'])
    expect(
      qasmTokens(`OPENQASM 2.0;${part.repeat(60_000)}`)
        .map(([, text]) => text)
        .join('').length,
    ).toBe(13 + part.length * 60_000);
});
