import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const SOURCE = path.join(import.meta.dirname, '..');
/** Forms that only show what is asked for, or stay as they are after their request. Both keep what is typed. */
const KEEPING = [
  'screens/administration/administration.tsx',
  'screens/audit/audit-log.tsx',
  'screens/executions/filter-bar.tsx',
  'screens/implementations/compare.tsx',
  'screens/workflows/message-form.tsx',
  'screens/workflows/signal-form.tsx',
];

test('every form that sends a request locks its fields meanwhile', () => {
  const own = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.tsx') && file !== 'forms/form.tsx')
    .filter((file) => readFileSync(path.join(SOURCE, file), 'utf8').includes('<form'));
  expect(own.toSorted()).toEqual(KEEPING);
});
