import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The Python side, mounted as `/runner` in every sandbox. */
export const PYTHON_SIDE = fileURLToPath(new URL('../python', import.meta.url));

const SOURCE = fileURLToPath(new URL('.', import.meta.url));

/** Everything that a running runner has loaded. */
const PARTS = [
  'runner',
  'sandbox',
  'containers',
  'kubernetes',
  'protocol',
  'root',
  'pythons',
  'egress',
  'json',
  'transfers',
  'build/folders.ts',
  'paths.ts',
  'free-space.ts',
  'bounded-text.ts',
  'errors.ts',
  'types.ts',
  'version.ts',
];

/** The files of the runner's own code, as paths below this folder. */
export function runnerFiles(): string[] {
  return PARTS.flatMap((part) => filesIn(SOURCE, part));
}

/** A hash of the runner's own code. After an upgrade, the platform asks a runner of another version to retire. */
export function runnerVersion(): string {
  const hash = createHash('sha256');
  for (const file of runnerFiles()) hash.update(file).update(readFileSync(`${SOURCE}/${file}`));
  for (const file of filesIn(PYTHON_SIDE, '.')) hash.update(file).update(readFileSync(`${PYTHON_SIDE}/${file}`));
  return hash.digest('hex').slice(0, 16);
}

function filesIn(parent: string, part: string): string[] {
  if (part.endsWith('.ts')) return [part];
  return readdirSync(`${parent}/${part}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => (name.endsWith('.ts') && !name.endsWith('.test.ts')) || name.endsWith('.py'))
    .toSorted()
    .map((name) => `${part}/${name}`);
}
