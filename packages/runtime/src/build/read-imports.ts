import { readdir } from 'node:fs/promises';
import { inspectJson } from '../json/index.ts';
import { PYTHON } from '../sandbox/root.ts';
import { inPython, type HostPython } from './host-python.ts';
import type { Runtime, SandboxedCommand } from '../types.ts';

const MODULE = /^[\p{ID_Start}_][\p{ID_Continue}]*(\.[\p{ID_Start}_][\p{ID_Continue}]*)*$/u;
/** Names at most. More are left out: a warm worker imports them one by one, and they are on its command line. */
const MOST = 500;
/** Bytes of a list of imports. A longer text is ignored. */
const MOST_BYTES = 1024 * 1024;
/** Our own modules, which every worker has. */
const OURS = ['src', 'kethub', 'kethub_runtime'];

/**
 * Names of foreign modules that the files below `src` import at their top level. They are read from the text, in a
 * sandbox that runs no code of the service or its requirements. Empty when the text cannot be read.
 */
export async function readImports(
  runtime: Pick<Runtime, 'sandboxed'>,
  sourceDir: string,
  python: HostPython,
  limits: SandboxedCommand['limits'],
  signal: AbortSignal,
): Promise<string[]> {
  const ended = await runtime.sandboxed({
    command: [PYTHON, '-I', '-S', '-B', '/runner/read_imports.py'],
    binds: [{ from: sourceDir, to: '/app', writable: false }],
    environment: {},
    ...inPython(python),
    network: 'NONE',
    limits,
    signal,
  });
  signal.throwIfAborted();
  if (ended.cause !== null || ended.exitCode !== 0) return [];
  const own = new Set([...OURS, ...(await readdir(sourceDir)).map((entry) => entry.replace(/\.py$/, ''))]);
  return namesIn(ended.stdout).filter((name) => !own.has(name.split('.')[0] ?? ''));
}

function namesIn(text: string): string[] {
  const bytes = Buffer.from(text);
  if ('problem' in inspectJson(bytes, { bytes: MOST_BYTES, depth: 1 })) return [];
  const names: unknown = JSON.parse(text);
  if (!Array.isArray(names)) return [];
  return names.filter((name): name is string => typeof name === 'string' && MODULE.test(name)).slice(0, MOST);
}
