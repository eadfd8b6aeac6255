import { expect, test } from 'vitest';
import { slugOf } from './slug.ts';
import { nextVersion } from './version-number.ts';

test.each([
  ['Max-Cut', 'max-cut'],
  ['  Größe & Wert!  ', 'gro-e-wert'],
  ['Éléphant 2', 'elephant-2'],
  ['量子', 'service'],
  ['--', 'service'],
])('slug of %j is %j', (name, slug) => expect(slugOf(name)).toBe(slug));

test.each([
  [[], '1.0.0'],
  [['1.0.0'], '1.1.0'],
  [['1.0.0', '1.10.0', '1.9.7'], '1.11.0'],
  [['2.0.5', '1.9.0'], '2.1.0'],
])('after %j comes %s', (versions, next) => expect(nextVersion(versions)).toBe(next));
