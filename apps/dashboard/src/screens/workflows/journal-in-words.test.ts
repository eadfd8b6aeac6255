import { expect, test } from 'vitest';
import { entryInWords } from './journal-in-words.ts';

test.each([
  [{ type: 'event', event: { type: 'start' } }, 'started', ''],
  [{ type: 'activated', elementId: 'solve' }, 'begun', 'solve'],
  [{ type: 'taken', flowId: 'to_end' }, 'path taken', 'to_end'],
  [{ type: 'incident', incident: { elementId: 'solve' } }, 'stands still', 'solve'],
  [{ type: 'finished', phase: 'COMPLETED' }, 'ended: completed', ''],
  [{ type: 'new-type', elementId: 3 }, 'new-type', ''],
])('%o', (entry, what, where) =>
  expect(entryInWords({ seq: 1, at: '2026-01-31 22:38:08', ...entry })).toEqual({ what, where }),
);
