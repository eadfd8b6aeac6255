import { readFile } from 'node:fs/promises';
import { usageFailure } from '../failures.ts';

/** The text of a file of variables: `NAME=value` lines, as `.env` has them. Throws for any other line. */
export async function readVariables(file: string): Promise<Record<string, string>> {
  const variables: Record<string, string> = {};
  for (const [index, line] of (await readFile(file, 'utf8')).split(/\r?\n/).entries()) {
    if (/^\s*(#.*)?$/.test(line)) continue;
    const [, name, value] = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw usageFailure(`${file}, line ${index + 1}: a line must be NAME=value.`);
    variables[name] = unquoted(value.trim());
  }
  return variables;
}

function unquoted(value: string): string {
  const [, double] = /^"((?:[^"\\]|\\.)*)"/.exec(value) ?? [];
  if (double !== undefined) return double.replaceAll(String.raw`\n`, '\n').replaceAll(/\\(.)/g, '$1');
  const [, single] = /^'([^']*)'/.exec(value) ?? [];
  return single ?? value.replace(/\s+#.*$/, '');
}
