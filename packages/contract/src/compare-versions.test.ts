import { expect, test } from 'vitest';
import { compareVersions } from './compare-versions.ts';

test('versions are ordered by number: 1.10.0 is newer than 1.9.0', () => {
  expect(['1.10.0', '2.0.0', '1.9.0', '1.9.0', '1.9.1'].toSorted(compareVersions)).toEqual([
    '1.9.0',
    '1.9.0',
    '1.9.1',
    '1.10.0',
    '2.0.0',
  ]);
});
