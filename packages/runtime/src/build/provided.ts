import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';
import type { Requirement } from './requirements.ts';

/** Modules that services may import without demanding them, and their packages. */
const PROVIDED: Readonly<Record<string, string>> = { loguru: 'loguru', pydantic: 'pydantic', yaml: 'pyyaml' };
const IMPORT = /^[ \t]*(?:from|import)[ \t]+(loguru|pydantic|yaml)\b/gm;
/** Bytes of a file that are searched for imports. Later ones are not found. */
const LOOKED_AT = 256 * 1024;

/** Adds requirements (in line 0) for provided packages that the source imports and requirements.txt does not demand. */
export async function withProvided(requirements: Requirement[], source: string): Promise<Requirement[]> {
  const imported = new Set<string>();
  for (const file of await pythonFiles(source)) {
    for (const [, module = ''] of (await beginningOf(file)).matchAll(IMPORT)) imported.add(PROVIDED[module] ?? '');
    if (imported.size === Object.keys(PROVIDED).length) break;
  }
  const missing = [...imported].filter((name) => requirements.every((one) => one.name !== name)).toSorted();
  return [...requirements, ...missing.map((name) => ({ name, text: name, line: 0 }))];
}

async function pythonFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.flatMap((one) => (one.isFile() && one.name.endsWith('.py') ? [join(one.parentPath, one.name)] : []));
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}

async function beginningOf(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(LOOKED_AT), 0, LOOKED_AT, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
