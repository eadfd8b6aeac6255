import { mkdirSync } from 'node:fs';
import path from 'node:path';
import {
  LocalRuntime,
  openSandboxed,
  whyNoNamespace,
  whyNoSandbox,
  type ExecutionRuntime,
} from '@kethub/runtime/local';
import { usageFailure } from '../failures.ts';
import { serveModes, type ServeMode } from './modes.ts';
import type { LocalPython } from './python.ts';

export interface OpenedRuntime {
  readonly mode: ServeMode;
  /** Meaning of the mode, and the reason why no better one was chosen. */
  readonly about: string;
  readonly runtime: ExecutionRuntime;
}

export interface ModeOptions {
  /** Null: the best one that this machine has. */
  readonly asked: ServeMode | null;
  /** Folder of the state of this project. */
  readonly state: string;
  readonly python: LocalPython;
  readonly debugPort: number | null;
}

const abouts: Readonly<Record<ServeMode, string>> = {
  sandbox: 'in the sandbox of the platform',
  namespace: 'as you, without a sandbox; /var/runtime is seen by the code only',
  paths: 'as you, without a sandbox; Python maps /var/runtime, native libraries (HDF5, SQLite) do not see it',
};

/** Opens the way in which executions run: the asked one, or the best that this machine has. */
export async function openMode(options: ModeOptions): Promise<OpenedRuntime> {
  const { asked, state } = options;
  mkdirSync(path.join(state, 'runtime/stage/output'), { recursive: true });
  mkdirSync(path.join(state, 'runtime/empty'), { recursive: true });
  const reasons: string[] = [];
  for (const mode of asked === null ? serveModes : [asked]) {
    const reason = await whyNot(mode, options);
    if (reason !== null) {
      reasons.push(`no ${mode}: ${reason}`);
      continue;
    }
    const runtime = await open(mode, options);
    const about = [abouts[mode], ...reasons].join('; ');
    return { mode, about, runtime };
  }
  throw usageFailure(`Executions cannot run that way here: ${reasons.join('; ')}.`, 'ket serve');
}

async function whyNot(mode: ServeMode, { state, python, debugPort }: ModeOptions): Promise<string | null> {
  if (mode === 'paths') return null;
  const folders = { runtime: path.join(state, 'runtime/stage'), stage: path.join(state, 'runtime/empty') };
  if (mode === 'namespace') return whyNoNamespace(folders);
  if (debugPort !== null) return 'a debugger cannot reach it';
  return whyNoSandbox(python.version, [python.packages, path.join(state, 'runtime')]);
}

async function open(mode: ServeMode, { state, python, debugPort }: ModeOptions): Promise<ExecutionRuntime> {
  if (mode === 'sandbox') return openSandboxed(state);
  const local = new LocalRuntime({
    dir: path.join(state, 'runtime'),
    mode: mode === 'paths' ? 'PATHS' : 'NAMESPACE',
    python: () => python.python,
    ...(debugPort !== null && { debug: { port: debugPort, packages: null } }),
  });
  await local.takeOver();
  return local;
}
