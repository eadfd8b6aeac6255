import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';
import type { Code } from '../types.ts';

/** Modules at most, as they are arguments of a command line. More are left out. */
const MOST = 500;
const MODULE = /^[\p{ID_Start}_][\p{ID_Continue}]*(\.[\p{ID_Start}_][\p{ID_Continue}]*)*$/u;
/** Entries of a folder that Python finds as a module: `name.py`, `name.cpython-311-x86_64-linux-gnu.so`. */
const ENTRY = /^([\p{ID_Start}_][\p{ID_Continue}]*)(\.pyc?|(\.[\w-]+)?\.so)?$/u;

/**
 * Selects the modules that a worker imports before its job comes. They are modules of the standard library and of the
 * distributions that pip has installed for the service, according to the files on the disk. Modules of the service
 * itself are never among them. If one of its modules has the name of another one, nothing is imported early, because
 * Python would find the service's own first.
 * @param standard folders of the standard library, on this machine.
 */
export function importable({ sourceDir, layerDir, imports }: Code, standard: readonly string[]): string[] {
  const folders = [...(layerDir === null ? [] : [layerDir]), ...standard];
  const wished = imports.slice(0, MOST).filter((name) => MODULE.test(name));
  if (wished.length === 0) return [];
  const foreign = new Set(folders.flatMap(modulesIn));
  if (modulesIn(sourceDir).some((name) => (name === 'src' ? false : foreign.has(name)))) return [];
  return wished.filter(
    (name) => !name.startsWith('src.') && name !== 'src' && folders.some((folder) => containsModule(folder, name)),
  );
}

function containsModule(folder: string, name: string): boolean {
  const parts = name.split('.');
  const last = parts.pop() ?? '';
  const parent = join(folder, ...parts);
  return existsSync(parent) && modulesIn(parent).includes(last);
}

/** Names that Python can import from a folder. */
function modulesIn(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((entry) => {
      const [, name, ending] = ENTRY.exec(entry) ?? [];
      if (name === undefined || name === '__pycache__' || name === '__init__') return [];
      return ending !== undefined || statSync(join(folder, entry)).isDirectory() ? [name] : [];
    });
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return [];
    throw error;
  }
}
