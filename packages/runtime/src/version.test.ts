import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runnerFiles } from './version.ts';

const SOURCE = import.meta.dirname;
/** Paths of files that a file loads: imports and exports but those of types, dynamic imports, and threads. */
const LOADED = /(?:^(?:import|export)(?! type\b)[^;]*?from|\bimport|\bnew URL)[\s(]*'(\.[^']+|[\w-]+\.ts)'/gms;

function loadedFrom(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, target = ''] of readFileSync(path.join(SOURCE, file), 'utf8').matchAll(LOADED)) {
    const next = path.relative(SOURCE, path.resolve(SOURCE, path.dirname(file), target));
    if (next.endsWith('.ts') && existsSync(path.join(SOURCE, next))) loadedFrom(next, found);
  }
  return found;
}

test('the version of the runner covers every file that it loads', () => {
  const loaded = [...loadedFrom('runner/main.ts')];
  expect(loaded).toContain('runner/json-files-thread.ts');
  expect(loaded).toContain('containers/containers.ts');
  expect(loaded.filter((file) => file.startsWith('..'))).toEqual([]);
  const covered = runnerFiles();
  expect(loaded.filter((file) => !covered.includes(file))).toEqual([]);
});
