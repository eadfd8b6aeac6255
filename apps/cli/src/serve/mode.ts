import { mkdirSync } from 'node:fs';
import path from 'node:path';
import {
  LocalRuntime,
  openSandboxed,
  PlainDriver,
  whyNoNamespace,
  whyNoSandbox,
  type ExecutionRuntime,
} from '@kethub/runtime/local';
import { usageFailure } from '../failures.ts';
import { openEngine, type EngineModeOptions } from './engine.ts';
import { pythonLoader, type OpenedRuntime } from './loader.ts';
import { serveModes, type ServeMode } from './modes.ts';
import { choosePython, type LocalPython } from './python.ts';

export interface ModeOptions extends EngineModeOptions {
  /** Null: the best one that this machine has. */
  readonly asked: ServeMode | null;
  /** The interpreter that was asked for. */
  readonly python: string | undefined;
  readonly debugPort: number | null;
}

type ProcessMode = Exclude<ServeMode, 'engine'>;

const abouts: Readonly<Record<ProcessMode, string>> = {
  sandbox: 'in the sandbox of the platform',
  namespace: 'as you, without a sandbox; /var/runtime is seen by the code only',
  paths:
    'as you, without a sandbox; Python maps /var/runtime, native libraries (HDF5, SQLite) do not see it, for them there is --mode engine',
};

/** Opens the way in which executions run: the asked one, or the best that this machine has. */
export async function openMode(options: ModeOptions): Promise<OpenedRuntime> {
  const { asked, state, shell, output, folder, isImage, debugPort } = options;
  mkdirSync(path.join(state, 'runtime/stage/output'), { recursive: true });
  mkdirSync(path.join(state, 'runtime/empty'), { recursive: true });
  if (isImage && asked !== null && asked !== 'engine')
    throw usageFailure(`${folder} is a container (runtime DOCKER), which runs in the mode engine only.`);
  if (isImage || asked === 'engine') {
    if (debugPort !== null) throw usageFailure('A debugger cannot reach the code in a container. Leave out --debug.');
    return openEngine(options);
  }
  if (process.platform === 'win32')
    throw usageFailure('Code needs Linux or macOS. On Windows, use ket inside WSL 2.', 'wsl --install');
  const choose = (): Promise<LocalPython> => choosePython(shell, output, folder, options.python);
  const python = await choose();
  const reasons: string[] = [];
  for (const mode of asked === null ? processModes : [asked]) {
    const reason = await whyNot(mode, python, options);
    if (reason !== null) {
      reasons.push(`no ${mode}: ${reason}`);
      continue;
    }
    const runtime = await open(mode, python, options);
    return {
      mode,
      about: [abouts[mode], ...reasons].join('; '),
      environment: `Python ${python.version} (${python.from})`,
      runtime,
      load: pythonLoader(choose),
    };
  }
  throw usageFailure(`Executions cannot run that way here: ${reasons.join('; ')}.`, 'ket serve');
}

const processModes = serveModes.filter((mode) => mode !== 'engine');

async function whyNot(
  mode: ProcessMode,
  python: LocalPython,
  { state, debugPort }: Pick<ModeOptions, 'state' | 'debugPort'>,
): Promise<string | null> {
  if (mode === 'paths') return null;
  const folders = { runtime: path.join(state, 'runtime/stage'), stage: path.join(state, 'runtime/empty') };
  if (mode === 'namespace') return whyNoNamespace(folders);
  if (debugPort !== null) return 'a debugger cannot reach it';
  return whyNoSandbox(python.version, [python.packages, path.join(state, 'runtime')]);
}

async function open(
  mode: ProcessMode,
  { python }: LocalPython,
  { state, debugPort }: Pick<ModeOptions, 'state' | 'debugPort'>,
): Promise<ExecutionRuntime> {
  if (mode === 'sandbox') return openSandboxed(state);
  const dir = path.join(state, 'runtime');
  const driver = new PlainDriver({
    dir,
    mode: mode === 'paths' ? 'PATHS' : 'NAMESPACE',
    python: () => python,
    ...(debugPort !== null && { debug: { port: debugPort, packages: null } }),
  });
  const local = new LocalRuntime({ dir, driver });
  await local.takeOver();
  return local;
}
