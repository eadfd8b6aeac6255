import { expect, test } from 'vitest';
import { secretsIn } from './secrets.ts';

test.each([
  ['a personal access token', `{"msg":"no token ket_pat_${'a1'.repeat(19)}"}`],
  ['a secret access key', `{"key":"ket_sk_${'Zz'.repeat(19)}"}`],
  ['a JSON web token', '{"token":"eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln"}'],
  ['an e-mail address', '{"detail":"Key (email)=(ada@example.org) already exists."}'],
  ['an e-mail address', '{"url":"/user-registration-status/ada%40example.org"}'],
  ['an authorization header', '{"authorization":"Bearer abcdefghijkl"}'],
  ['an authorization header', '{"header":"basic dXNlcjpwYXNzd29yZA=="}'],
  ['a secret in an address', '{"url":"/confirm?token=0123456789"}'],
  ['a secret in an address', '{"url":"/callback?state=1&code=0123456789"}'],
  ['a password in an address', '{"database":"postgres://kethub:pa55word@localhost/kethub"}'],
  ['a password of the tests', '{"form":"username=ada&p=correct+horse+battery"}'],
  ['a member that holds a secret', '{"set-cookie":"_session=1"}'],
  ['a member that holds a secret', '{"client_secret":"hunter2"}'],
  ['a problem that its endpoint does not name: add it to its problems in routes.ts', '{"unnamedBy":"GET /api/me"}'],
  ['a private key', '{"kty":"EC","d":"0123456789abcdef0123"}'],
])('finds %s in %s', (kind, line) => expect(secretsIn(line)).toContain(kind));

test.each([
  '{"level":30,"reqId":"x3-1","method":"POST","route":"/api/authorize","status":401,"ms":1,"msg":"answered"}',
  '{"level":20,"code":"not-authenticated","msg":"The personal access token is expired, malformed or unknown."}',
  '{"err":{"type":"Error","stack":"at file:///srv/node_modules/@node-rs/argon2@2.0.2/index.js:3:4"}}',
  '{"addresses":{"auth":"http://127.0.0.1:12345/auth"},"msg":"ready"}',
  '{"msg":"Send a login session in Authorization: Bearer, or a personal access token in X-Auth-Token."}',
])('takes %s', (line) => expect(secretsIn(line)).toEqual([]));
