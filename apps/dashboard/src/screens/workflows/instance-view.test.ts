import { expect, test } from 'vitest';
import { viewIn } from './instance-view.ts';

test('tab, step and element stand in the address; what is none is left out', () => {
  expect(viewIn({ tab: 'journal', step: 12, element: 7 })).toEqual({ tab: 'journal', step: 12, element: '7' });
  expect(viewIn({ tab: 'x', step: -1, element: null })).toEqual({ tab: null, step: null, element: null });
  expect(viewIn({ step: '<b>' })).toEqual({ tab: null, step: null, element: null });
});
