import { expect, test } from 'vitest';
import { formatTraceparent, parseTraceparent } from './trace-context.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

test.each([
  [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`],
  [`00-${TRACE}-${SPAN}-00`, `00-${TRACE}-${SPAN}-00`],
  [`00-${TRACE}-${SPAN}-03`, `00-${TRACE}-${SPAN}-03`],
  // Neither unknown flags nor further fields of later versions are passed on.
  [`00-${TRACE}-${SPAN}-ff`, `00-${TRACE}-${SPAN}-03`],
  [`cc-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-01`],
  [`cc-${TRACE}-${SPAN}-01-what-the-future-holds`, `00-${TRACE}-${SPAN}-01`],
])('%s is understood', (header, understood) => {
  const context = parseTraceparent(header);
  expect(context && formatTraceparent(context)).toBe(understood);
});

test.each([
  undefined,
  '',
  'x',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-1`,
  `00-${TRACE}-${SPAN}-01-more`,
  `cc-${TRACE}-${SPAN}-01.more`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
  `cc-${TRACE}-${SPAN}-01-${'x'.repeat(512)}`,
  [`00-${TRACE}-${SPAN}-01`],
])('%s is taken as if it were not there', (header) => {
  expect(parseTraceparent(header)).toBeNull();
});
