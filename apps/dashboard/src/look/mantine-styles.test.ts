import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const source = path.resolve(import.meta.dirname, '..');
const mantine = path.resolve(import.meta.dirname, '../../../../node_modules/@mantine/core');
/** Parts that only the choices as cards have, which the dashboard does not use. */
const CARDS = new Set(['CheckboxCard', 'RadioCard', 'CheckboxIndicator', 'RadioIndicator']);

/** Names that files of the dashboard import from Mantine. */
function used(): Set<string> {
  const files = globSync('**/*.tsx', { cwd: source }).map((file) => readFileSync(path.join(source, file), 'utf8'));
  const lists = files.flatMap((text) => [...text.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)]);
  return new Set(lists.flatMap(([, names = '']) => names.split(',').map((name) => name.trim())));
}

/** The parts with styles that a module of Mantine is made of, by what it imports. */
function stylesOf(module: string, seen = new Set<string>()): string[] {
  if (seen.has(module) || !existsSync(module)) return [];
  seen.add(module);
  const text = readFileSync(module, 'utf8');
  return [...text.matchAll(/from "(\.[^"]+)"/g)].flatMap(([, to = '']) =>
    to.endsWith('.module.mjs')
      ? [path.basename(to, '.module.mjs')]
      : stylesOf(path.join(path.dirname(module), to), seen),
  );
}

test('every component of Mantine that is used has its styles', () => {
  const index = readFileSync(path.join(mantine, 'esm/index.mjs'), 'utf8');
  const modules = [...index.matchAll(/import \{([^}]*)\} from "([^"]+)"/g)]
    .filter(([, names = '']) => names.split(',').some((name) => used().has(name.trim())))
    .map(([, , module = '']) => path.join(mantine, 'esm', module));
  expect(modules.length).toBeGreaterThan(15);
  const needed = new Set(modules.flatMap((module) => stylesOf(module)).filter((name) => !CARDS.has(name)));
  const text = readFileSync(path.join(import.meta.dirname, 'mantine-styles.ts'), 'utf8');
  const present = new Set([...text.matchAll(/styles\/([A-Z]\w+)\.css/g)].map(([, name = '']) => name));
  expect([...present].toSorted()).toEqual([...needed].toSorted());
});
