import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PROGRAMS = fileURLToPath(new URL('../../escapes', import.meta.url));

/** The files of a service that is a hostile program. */
export function filesOf(name: string): Record<string, string> {
  const text = (file: string): string => readFileSync(`${PROGRAMS}/${file}.py`, 'utf8');
  return { 'src/__init__.py': '', 'src/kit.py': text('kit'), 'src/program.py': text(name) };
}

/** All hostile programs in one folder `src`. An environment variable chooses the program. */
export function filesOfAll(): Record<string, string> {
  const names = readdirSync(PROGRAMS).filter((name) => name.endsWith('.py'));
  const texts = names.map((name): [string, string] => [`src/${name}`, readFileSync(`${PROGRAMS}/${name}`, 'utf8')]);
  return { 'src/__init__.py': '', ...Object.fromEntries(texts) };
}

/** Files to which variables of the loader and of Python could lead. */
export const EVIL: Readonly<Record<string, string>> = {
  'src/evil.so': 'no library',
  'evil/sitecustomize.py': 'import sys\nsys.modules["escaped_startup"] = sys\nopen("/tmp/escaped", "w").close()\n',
  'evil/profile': 'touch /tmp/escaped\n',
};
