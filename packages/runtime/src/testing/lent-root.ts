import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { makeRunnerPaths } from '../paths.ts';

// The first runner of a data folder makes the root of its sandboxes, for 0.4 s of processor time. Platforms of tests have
// a new data folder each. They get a copy of the root that an earlier one has made.

/** Kept between test runs. A runner removes a root that does not fit its Python or its own code, and makes another. */
const KEPT = path.resolve(import.meta.dirname, '../../../../.runtime/lent-roots');
/** Characters of the name of a root before the mark of its data folder. */
const KEY = 16;
const AS_IT_IS = { recursive: true, verbatimSymlinks: true };
/** Roots that are kept: of the machine and our own, before and after a change. */
const MOST = 4;

/** Gives a new data folder the roots that are kept. */
export function lendRoots(dataDir: string): void {
  const { runtimeDir, mark } = makeRunnerPaths(dataDir);
  const parent = path.join(runtimeDir, 'root');
  mkdirSync(parent, { mode: 0o711 });
  for (const key of keptRoots()) cpSync(path.join(KEPT, key), path.join(parent, `${key}-${mark}`), AS_IT_IS);
}

/** Keeps the roots of a data folder for others. Call it before the folder is removed. */
export function keepRoots(dataDir: string): void {
  const parent = path.join(dataDir, 'runtime/root');
  for (const name of existsSync(parent) ? readdirSync(parent) : []) {
    const kept = path.join(KEPT, name.slice(0, KEY));
    if (!/^[0-9a-f]{16}-/.test(name) || existsSync(kept)) continue;
    const draft = `${kept}.${process.pid}`;
    cpSync(path.join(parent, name), draft, AS_IT_IS);
    try {
      renameSync(draft, kept);
    } catch {
      // Another process has kept the same meanwhile.
      rmSync(draft, { recursive: true });
    }
  }
  for (const old of keptRoots().slice(MOST)) rmSync(path.join(KEPT, old), { recursive: true, force: true });
}

/** Names of the roots that are kept, the newest first. */
function keptRoots(): string[] {
  if (!existsSync(KEPT)) return [];
  const made = (name: string): number => statSync(path.join(KEPT, name), { throwIfNoEntry: false })?.ctimeMs ?? 0;
  return readdirSync(KEPT)
    .filter((name) => name.length === KEY)
    .toSorted((one, other) => made(other) - made(one));
}
