import { expect, test } from 'vitest';
import { cursorIn } from './linked-page.ts';

test('the cursor of the next page comes from the header Link', () => {
  expect(cursorIn('<http://localhost:8080/api/list?q=a&limit=2&cursor=0189>; rel="next"')).toBe('0189');
  expect(cursorIn(null)).toBe(null);
  expect(cursorIn('<no address>; rel="prev"')).toBe(null);
  expect(cursorIn('<http://[>; rel="next"')).toBe(null);
});
