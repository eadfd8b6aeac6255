import { expect, test } from 'vitest';
import { readConfiguration } from './index.ts';

test.each([
  ['', []],
  [' , ', []],
  ['Ada, grace@Example.org ,ada', ['ada', 'grace@example.org']],
  // A decomposed character, as some keyboards produce it.
  ['JOSE\u0301', ['jos\u00e9']],
])('KETHUB_ADMINISTRATORS=%j are %j', (KETHUB_ADMINISTRATORS, administrators) =>
  expect(readConfiguration({ KETHUB_ADMINISTRATORS })).toMatchObject({ administrators }),
);
