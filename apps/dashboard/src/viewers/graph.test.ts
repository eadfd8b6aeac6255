import { expect, test } from 'vitest';
import { graphOf } from './graph.ts';

test('nodes and edges in the forms that libraries write', () => {
  const pairs = graphOf({ nodes: [0, 1], edges: [[0, 1, 0.5]] });
  expect(pairs?.edges).toEqual([[0, 1, '0.5']]);
  const objects = graphOf({ nodes: [{ id: 'a', label: 'A' }, { id: 'b' }], edges: [{ source: 'a', target: 'b' }] });
  expect(objects?.nodes.map(({ label }) => label)).toEqual(['A', 'b']);
  expect(objects?.edges).toEqual([[0, 1, '']]);
});

test.each([
  [{ nodes: [], edges: [] }],
  [{ nodes: ['a', 'a'], edges: [] }],
  [{ nodes: ['a'], edges: [['a', 'c']] }],
  [{ nodes: ['a'], edges: [3] }],
  [{ nodes: [{ name: 'a' }], edges: [] }],
  [{ nodes: Array.from({ length: 500 }, (_, index) => index), edges: [] }],
  [{ nodes: 'ab', edges: [] }],
])('%j is no graph that is drawn', (value) => expect(graphOf(value)).toBe(null));
