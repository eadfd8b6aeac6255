import { expect, test } from 'vitest';
import { parseExact } from '../data/exact-json.ts';
import { csvOf, shapeOf } from './shape.ts';

test.each([
  ['{"00": 512, "11": 488}', 'histogram'],
  ['{"0x0": 1, "0x1f": 2}', 'histogram'],
  ['{"0": 1, "10": 2}', 'tree'],
  ['{"00": -1, "11": 1}', 'tree'],
  ['{"a": 1}', 'tree'],
  ['[{"a": 1}, {"b": 2}]', 'table'],
  ['[1, 2.5, 3]', 'line'],
  ['[1]', 'tree'],
  ['[[1, 0], [0, 1]]', 'matrix'],
  ['[[1, 0], [0]]', 'tree'],
  ['"OPENQASM 2.0;\\nqreg q[2];"', 'qasm'],
  ['"a\\ntext"', 'text'],
  ['{"nodes": [0, 1], "edges": [[0, 1]]}', 'graph'],
  ['12345678901234567890', 'scalar'],
  ['[]', 'tree'],
])('%s is shown as a %s', (text, as) => expect(shapeOf(parseExact(text)).as).toBe(as));

test('CSV quotes what it has to, keeps digits and starts no formula', () => {
  const rows = [['a,b', parseExact('12345678901234567890'), '=1+1', -2, null, { x: 1 }]];
  expect(csvOf(['t', 'n', 'f', 'm', 'e', 'o'], rows)).toBe(
    't,n,f,m,e,o\r\n"a,b",12345678901234567890,\'=1+1,-2,,"{""x"":1}"\r\n',
  );
});
