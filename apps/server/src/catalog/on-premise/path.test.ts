import { expect, test } from 'vitest';
import { Problem } from '../../foundation/http/index.ts';
import { serviceAddressOf, targetPath } from './path.ts';

const target = { rootPath: '/base', basePath: '/base' };
const at = (given: string): string => targetPath(target, `/owner/service/1.0.0${given}`);

test.each([
  ['', '/base'],
  ['/', '/base'],
  ['//', '/base'],
  ['?q=1', '/base?q=1'],
  ['/?q=/../x', '/base?q=/../x'],
  ['/jobs', '/base/jobs'],
  ['/jobs/', '/base/jobs/'],
  ['//evil.example.org//x', '/base/evil.example.org/x'],
  ['/a%2Fb', '/base/a%2Fb'],
  ['/a%20b;v=1', '/base/a%20b;v=1'],
  ['/...', '/base/...'],
  ['/.well-known', '/base/.well-known'],
  ['/1..2', '/base/1..2'],
])('%j becomes %s', (given, path) => expect(at(given)).toBe(path));

test.each([
  '/..',
  '/../',
  '/a/../b',
  '/./a',
  '/%2e%2e/x',
  '/%2E%2e',
  '/.%2e/x',
  '/a%2f..%2fb',
  '/a%2F%2e%2e',
  '/..%5cx',
  '/a\\..\\b',
  '/%5c..%5c',
  '/%252e%252e/x',
  '/%25252e%25252e/x',
  '/%2525252525252e',
  '/..;x/y',
  '/..%3bx/y',
  '/a%00b',
  '/a#b',
  '/ü',
  '/a b',
  '/a\tb',
])('%j is refused', (given) => expect(() => at(given)).toThrow(Problem));

test.each([
  ['/o/s/1%2e0%2e0/jobs?q=1', '/base/jobs?q=1'],
  ['//o%40x//%73/1.0%2E0', '/base'],
])('below the encoded address %j is %j', (url, path) => expect(targetPath(target, url)).toBe(path));

test.each(['http://host/o/s/1.0.0/x', '/o/s/latest/x', '/o/s/1.0.0%2f..%2fx', 'o/s/1.0.0', '*', ''])(
  '%j, which is below no address of a service, is refused and not taken as a path',
  (url) => expect(() => targetPath(target, url)).toThrow(Problem),
);

test.each([
  ['/o/s/1.0.0', { owner: 'o', service: 's', version: '1.0.0' }],
  ['//o//s//1.0.0/x', { owner: 'o', service: 's', version: '1.0.0' }],
  ['/o%40x/s/1.0.0?q', { owner: 'o@x', service: 's', version: '1.0.0' }],
  ['/o/s/1.0', null],
  ['/o/s/1.0.0x', null],
  ['/o%ff/s/1.0.0', null],
  ['/o/s/1%2e0%2E0/x', { owner: 'o', service: 's', version: '1.0.0' }],
  ['/o/s/%31.0.0', { owner: 'o', service: 's', version: '1.0.0' }],
  ['/o/s/1.0.0%2fx', null],
  ['/o/s/1.0.0%5cx', null],
  ['/o/s/1%252e0.0', null],
  ['http://host/o/s/1.0.0', null],
  ['*', null],
])('%s is the address %j', (url, address) => expect(serviceAddressOf(url)).toEqual(address));
