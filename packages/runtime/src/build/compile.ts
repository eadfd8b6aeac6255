import { PYTHON } from '../sandbox/root.ts';
import { BUILD_SHARE } from './build-limits.ts';
import { inPython, type HostPython } from './host-python.ts';
import type { Runtime } from '../types.ts';
import { BuildError } from './problem.ts';

const LIMITS = {
  ...BUILD_SHARE,
  processes: 32,
  runTimeMs: 10 * 60_000,
  tmpBytes: 64 * 2 ** 20,
  fileBytes: 2 ** 28,
  logBytes: 2 ** 20,
};

/**
 * Compiles every Python file below a folder, as it will appear at `inside`. Executions cannot write there, and would
 * compile again each time. The bytecode is not compared with the time of its source (unchecked-hash), so it stays valid
 * in a copy of the data folder. A file that does not compile fails only when it is imported.
 */
export async function compileTree(
  runtime: Pick<Runtime, 'sandboxed'>,
  folder: string,
  inside: string,
  python: HostPython,
  signal: AbortSignal,
): Promise<void> {
  const ended = await runtime.sandboxed({
    command: [
      PYTHON,
      '-I',
      '-S',
      '-m',
      'compileall',
      '-qq',
      '-j',
      '2',
      '--invalidation-mode',
      'unchecked-hash',
      inside,
    ],
    binds: [{ from: folder, to: inside, writable: true }],
    environment: {},
    ...inPython(python),
    network: 'NONE',
    limits: LIMITS,
    signal,
  });
  signal.throwIfAborted();
  if (ended.cause !== null) {
    const what = inside === '/deps' ? 'the packages' : 'the program';
    throw new BuildError('install-failed', `Compiling ${what} was ended: ${ended.cause.detail}`);
  }
}
