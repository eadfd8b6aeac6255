import { readFile } from 'node:fs/promises';
import { writePrivately } from './platform/folders.ts';

/**
 * Writes variables into a file that only its owner may read (mode 0600), one `NAME=value` a line. Other lines of an
 * existing file stay as they are.
 */
export async function writeEnvironmentFile(file: string, variables: Readonly<Record<string, string>>): Promise<void> {
  const names = Object.keys(variables);
  const kept = (await linesOf(file)).filter((line) => !names.some((name) => isAbout(line, name)));
  const added = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  await writePrivately(file, `${[...kept, ...added].join('\n')}\n`);
}

async function linesOf(file: string): Promise<string[]> {
  try {
    const text = await readFile(file, 'utf8');
    return text === '' ? [] : text.replace(/\r?\n$/, '').split('\n');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

function isAbout(line: string, name: string): boolean {
  return new RegExp(String.raw`^\s*(?:export\s+)?${name}\s*=`).test(line);
}
