import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Kept between test runs, as a download of all takes 200 MB. */
const KEPT = fileURLToPath(new URL('../../../../.runtime/pythons', import.meta.url));

/** Gives a runtime folder the interpreters that earlier tests have installed. */
export function takeKeptPythons(runtimeDir: string): void {
  if (existsSync(KEPT)) copy(KEPT, join(runtimeDir, 'pythons'));
}

/** Keeps the interpreters that a test has installed. */
export function keepPythons(runtimeDir: string): void {
  if (existsSync(join(runtimeDir, 'pythons'))) copy(join(runtimeDir, 'pythons'), KEPT);
}

function copy(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o711 });
  execFileSync('/bin/cp', ['--archive', '--no-clobber', `${from}/.`, to]);
}
