import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { root } from './run.ts';

/** Files of this clone that Git knows or would add, below these paths; without any, all of them. */
export function trackedFiles(below: readonly string[] = []): string[] {
  const args = ['-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...below];
  return execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 26 })
    .split('\0')
    .filter((name) => name !== '' && existsSync(path.join(root, name)));
}
