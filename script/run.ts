import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '..');

/**
 * Runs a program of the project's own packages and shows its output. Returns whether it succeeded. Meanwhile this
 * process goes on reading the output of the servers that it has started, as a full pipe would block them.
 */
export async function run(
  title: string,
  program: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<boolean> {
  const began = performance.now();
  process.stderr.write(`\n── ${title}\n`);
  const child = spawn(path.join(root, 'node_modules/.bin', program), args, {
    cwd: root,
    stdio: 'inherit',
    // The packages' own start scripts look for `node` in the PATH: it must be the one that runs this.
    env: { ...process.env, PATH: `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, ...environment },
  });
  const [status] = (await once(child, 'exit')) as [number | null];
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  process.stderr.write(`── ${title}: ${status === 0 ? 'passed' : 'FAILED'} after ${seconds} s\n`);
  return status === 0;
}
