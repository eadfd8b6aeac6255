import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PROGRAMS = fileURLToPath(new URL('../../escapes', import.meta.url));

/** The Python files of a hostile program, as a service has them. */
export function filesOf(name: string): Record<string, string> {
  const text = (file: string): string => readFileSync(`${PROGRAMS}/${file}.py`, 'utf8');
  return { 'src/__init__.py': '', 'src/kit.py': text('kit'), 'src/program.py': text(name) };
}
