import { expect, test } from 'vitest';
import { isAllowedOrigin, isLoopbackCallback } from './client.ts';

test.each([
  ['http://localhost:4711/callback', true],
  ['http://127.0.0.1:4711/callback', true],
  ['http://localhost/callback', true],
  ['https://localhost:4711/callback', false],
  ['http://localhost:4711/callback?next=elsewhere', false],
  ['http://localhost:4711/callback#', false],
  ['http://localhost:4711/other', false],
  ['http://localhost.example.org:4711/callback', false],
  ['http://user@localhost:4711/callback', false],
  ['http://localhost@example.org/callback', false],
  ['http://10.0.0.1:4711/callback', false],
  ['callback', false],
])('%s as the callback of a program on this machine: %s', (uri, allowed) =>
  expect(isLoopbackCallback(uri)).toBe(allowed),
);

test.each([
  ['https://kethub.example.org', true],
  ['http://localhost:5173', true],
  ['http://127.0.0.1:5173', true],
  ['https://kethub.example.org.evil.example', false],
  ['https://localhost.evil.example', false],
  ['null', false],
])('a browser at %s may read the answers: %s', (origin, allowed) =>
  expect(isAllowedOrigin(origin, 'https://kethub.example.org')).toBe(allowed),
);
