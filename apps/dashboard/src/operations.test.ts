import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { operationsWithoutScreen } from '../test/operations-without-screen.ts';

const table = readFileSync(
  path.join(import.meta.dirname, '../../../packages/client/src/generated/platform-table.ts'),
  'utf8',
);
const operations = [...table.matchAll(/^ {2}(\w+): \[/gm)].map(([, id = '']) => id);
const sources = globSync('**/*.{ts,tsx}', { cwd: import.meta.dirname })
  .filter((file) => !file.includes('.test.'))
  .map((file) => readFileSync(path.join(import.meta.dirname, file), 'utf8'))
  .join('\n');
const called = new Set([...sources.matchAll(/\.(\w+)\b/g)].map(([, name]) => name));
const patternOf = (key: string): RegExp => new RegExp(`^${key.replaceAll('*', '.*')}$`);
const patterns = Object.keys(operationsWithoutScreen).map(patternOf);

test('a screen calls each operation of the platform interface, or the table says why none does', () => {
  expect(operations.length).toBeGreaterThan(100);
  const missing = operations.filter((one) => !called.has(one) && !patterns.some((pattern) => pattern.test(one)));
  expect(missing, 'Call it in a screen, or say why not in test/operations-without-screen.ts').toEqual([]);
});

test('no reason is left for an operation that is gone, or that a screen calls', () => {
  for (const pattern of patterns) {
    const meant = operations.filter((one) => pattern.test(one));
    expect(meant, pattern.source).not.toEqual([]);
    expect(meant.filter((one) => called.has(one))).toEqual([]);
  }
});
