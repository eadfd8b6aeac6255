import { it } from 'vitest';
import { simulateMany } from './simulate-many.ts';

it(
  '10,000 random processes end, along random paths, with crashes and repetitions',
  () => simulateMany(1_001, 10_000),
  600_000,
);
