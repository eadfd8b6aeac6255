import { expect, test } from 'vitest';
import { createLog, withoutSecrets } from './log.ts';

function written(line: object): string {
  let text = '';
  createLog('debug', { write: (written) => void (text += written) }).error(line, 'failed');
  return text;
}

test('of an error what it is and where it came from is written, not what it carries', () => {
  const inner = new Error('duplicate key ada@example.org');
  const error = Object.assign(new Error('The row could not be written', { cause: inner }), {
    code: '23505',
    detail: 'Key (email)=(ada@example.org) already exists.',
    parameters: ['correct horse'],
    headers: { authorization: 'Bearer abcdefghijkl' },
  });
  for (const line of [{ err: error }, { cause: error }]) {
    const text = written(line);
    expect(text).toContain('The row could not be written');
    expect(text).toContain('"code":"23505"');
    expect(text).toContain('log.test.ts');
    expect(text).toContain('caused by: Error: duplicate key [removed]');
    for (const secret of ['ada@', 'already exists', 'correct horse', 'abcdefghijkl'])
      expect(text).not.toContain(secret);
  }
});

test('what is thrown and no error is written as text', () => {
  expect(written({ err: 'nobody@example.org failed' })).toContain('"message":"[removed] failed"');
});

test.each([
  ['no person ada.l+x@mail.example.org here', 'no person [removed] here'],
  ['Key (email)=(ada@example.org)', 'Key (email)=([removed])'],
  [`token ket_pat_${'a'.repeat(38)}!`, 'token [removed]!'],
  [`GET /ket_sk_${'9Z'.repeat(19)}`, 'GET /[removed]'],
  ['session eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln ended', 'session [removed] ended'],
  [
    'at file:///srv/node_modules/@node-rs/argon2@2.0.2/index.js:3:4',
    'at file:///srv/node_modules/@node-rs/argon2@2.0.2/index.js:3:4',
  ],
])('%s', (text, expected) => expect(withoutSecrets(text)).toBe(expected));
