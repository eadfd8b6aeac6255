import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { operationsWithoutCommand, reasonWithoutCommand } from './operations-without-command.ts';

const generated = path.join(import.meta.dirname, '../../../packages/client/src/generated');
const sources = globSync('**/*.ts', { cwd: import.meta.dirname })
  .filter((file) => !file.includes('.test.') && !file.startsWith('testing'))
  .map((file) => readFileSync(path.join(import.meta.dirname, file), 'utf8'))
  .join('\n');

/** Operation ids of the OpenAPI documents, from the tables that the client is generated from. */
function operationsOf(name: 'platform' | 'gateway'): string[] {
  const table = readFileSync(path.join(generated, `${name}-table.ts`), 'utf8');
  return [...table.matchAll(/^ {2}(\w+): \[/gm)].map(([, id = '']) => id);
}

function isUsed(operation: string): boolean {
  return new RegExp(String.raw`(?:\.|')${operation}\b`).test(sources);
}

test.each(['platform', 'gateway'] as const)(
  'a command uses each operation of the %s, or the reference says why not',
  (name) => {
    const all = operationsOf(name);
    expect(all.length).toBeGreaterThan(10);
    const missing = all.filter((one) => !isUsed(one) && reasonWithoutCommand(one) === null);
    expect(missing, 'Call it in a command, or say why not in operations-without-command.ts').toEqual([]);
  },
);

test('no reason is left for an operation that is gone', () => {
  const all = [...operationsOf('platform'), ...operationsOf('gateway')];
  const fits = (pattern: string) => all.some((one) => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(one));
  expect(Object.keys(operationsWithoutCommand).filter((pattern) => !fits(pattern))).toEqual([]);
});
