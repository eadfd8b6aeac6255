import { expect, test } from 'vitest';
import { choicesAmong } from './choices.ts';

test('only what takes subscriptions is offered', () => {
  const own = [
    {
      id: 'a',
      name: 'Solver',
      versions: [
        { version: '4.0.0', state: 'DRAFT' },
        { version: '3.0.0', state: 'PUBLISHED', visibility: 'INTERNAL' },
        { version: '2.0.0', state: 'PUBLISHED', visibility: 'INTERNAL', retirement: { sunset: '' } },
        { version: '1.0.0', state: 'PUBLISHED', visibility: 'SHARED' },
      ],
    },
    { id: 'b', name: 'Draft', versions: [{ version: '1.0.0', state: 'DRAFT' }] },
  ];
  const shared = [
    { id: 'c', name: 'Jobs only', versions: [{ version: '1.0.0', opens: ['JOBS'] }] },
    { id: 'd', name: 'Open', versions: [{ version: '1.0.0', opens: ['JOBS', 'API'] }] },
  ];
  expect(choicesAmong(own, shared)).toEqual([
    { id: 'a', name: 'Solver', isShared: false, versions: ['3.0.0'] },
    { id: 'd', name: 'Open', isShared: true, versions: ['1.0.0'] },
  ]);
});
