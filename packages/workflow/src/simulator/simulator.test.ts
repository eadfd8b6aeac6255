import { it } from 'vitest';
import { simulateMany } from './simulate-many.ts';

it(
  '1,000 random processes end, along random paths, with crashes and repetitions',
  () => simulateMany(1, 1_000),
  300_000,
);
