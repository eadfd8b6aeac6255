import { expect, test } from 'vitest';
import { harmlessLinks } from './header-rules.ts';

test.each([
  ['</jobs?page=2>; rel="next"', '</jobs?page=2>; rel="next"'],
  ['<a>; rel=next, <b>;rel=prev', '<a>; rel=next, <b>;rel=prev'],
  ['<a,b>; rel="next"; title="one, two"', '<a,b>; rel="next"; title="one, two"'],
  ['<a>; rel="next preload"', null],
  ['<a>; rel=preload; as=script', null],
  ['<a>; REL=Stylesheet', null],
  ['<a>; rel=next; rel=preload', null],
  ['<a>; rel*=UTF-8%27%27preload', null],
  ['<a>; rel=next, <b>; rel=serviceworker', '<a>; rel=next'],
  ['<a>; anchor="#x"', null],
  ['<a>', null],
  // Headers that the expression does not match whole.
  ['<a>; rel="next", <b>; rel="pre\\load"', null],
  ['<a>; rel="next", b; rel=preload', null],
  ['<a>; rel="next" <b>; rel="unclosed', null],
  [undefined, null],
])('the header Link with %j is passed on as %j', (header, kept) => expect(harmlessLinks(header)).toBe(kept));
