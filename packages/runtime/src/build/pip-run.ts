import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PYTHON } from '../sandbox/root.ts';
import type { Bind, LogLine, Runtime, Severity } from '../types.ts';
import { BUILD_SHARE } from './build-limits.ts';
import { inPython, type HostPython } from './host-python.ts';
import type { BuildLog, OnLine } from './build-log.ts';
import { pipSettings, type PipSettings } from './pip-settings.ts';
import { BuildError } from './problem.ts';

// pip's resolver keeps the metadata of all candidates in memory; downloads go to the disk.
const LIMITS = {
  ...BUILD_SHARE,
  processes: 64,
  runTimeMs: 15 * 60_000,
  tmpBytes: 64 * 2 ** 20,
  fileBytes: 3 * 2 ** 30,
  logBytes: 4 * 2 ** 20,
};

// Installs wheels only: a source distribution would run its own code. A download is reused by the next step of the same
// build; the cache is removed with its draft.
export const ALWAYS = '--cache-dir /build/cache --no-input --no-color --disable-pip-version-check'.split(' ');
export const INSTALL = ['install', '--only-binary', ':all:', '--no-compile', '--progress-bar', 'off', ...ALWAYS];
/** Lists every link of a package with the reason why pip does not use it, and opens no file. */
export const LINKS = ['index', 'versions', '-vv', ...ALWAYS];

/** Everything that pip needs to run in one build. */
export interface PipContext {
  runtime: Pick<Runtime, 'sandboxed'>;
  python: HostPython;
  /** A folder of this build: `/build` in the sandbox of pip. */
  draft: string;
  settings: PipSettings;
  log: BuildLog;
  /** Ends pip, and with it the build. */
  signal: AbortSignal;
}

/**
 * Makes the folders of a draft and reads the settings of pip.
 * @throws BuildError when there is no pip.
 */
export async function preparePip(
  build: Omit<PipContext, 'settings'>,
  environment: NodeJS.ProcessEnv,
): Promise<PipContext> {
  const { python, draft } = build;
  if (python.pip === null) {
    throw new BuildError(
      'pip-missing',
      'The operator of the platform has to install it (Debian, Ubuntu: apt-get install python3-pip).',
    );
  }
  for (const folder of ['cache', 'tmp', 'settings']) await mkdir(join(draft, folder), { recursive: true, mode: 0o755 });
  const settings = await pipSettings(python.pip, environment, join(draft, 'settings'), '/build/settings');
  return { ...build, settings };
}

/** The end of pip. Its output does not contain the operator's addresses and credentials. */
interface PipEnd {
  output: string[];
  exitCode: number;
  /** Unredacted. */
  stdout: string;
}

/** The path of pip in the sandbox. */
export function pipPath({ pip }: HostPython): string {
  return pip?.isWheel === true ? '/pip/pip.whl' : '/pip/pip';
}

/**
 * Runs pip in a sandbox with the network of this machine.
 * @throws BuildError when a limit ends it.
 */
export async function runPip(context: PipContext, command: readonly string[], onLine: OnLine): Promise<PipEnd> {
  const path = pipPath(context.python);
  return runWithPip(context, [context.python.pip?.isWheel === true ? `${path}/pip` : path, ...command], onLine);
}

/**
 * Runs a program of ours in the sandbox of pip, with pip available.
 * @throws BuildError when a limit ends it.
 */
export async function runWithPip(
  { runtime, python, draft, settings, signal }: PipContext,
  command: readonly string[],
  onLine: OnLine,
): Promise<PipEnd> {
  const { pip } = python;
  if (pip === null) throw new Error('There is no pip');
  const binds: Bind[] = [
    { from: draft, to: '/build', writable: true },
    { from: pip.path, to: pipPath(python), writable: false },
    ...settings.binds,
  ];
  // The index may be named in this file only. `/etc/resolv.conf` is mounted already.
  if (existsSync('/etc/hosts')) binds.push({ from: '/etc/hosts', to: '/etc/hosts', writable: false });
  const output: string[] = [];
  const ended = await runtime.sandboxed({
    command: [PYTHON, '-I', '-S', '-B', '-u', ...command],
    binds,
    environment: { HOME: '/build/tmp', TMPDIR: '/build/tmp', PIP_ROOT_USER_ACTION: 'ignore', ...settings.environment },
    ...inPython(python),
    workingDirectory: '/build',
    network: 'HOST',
    limits: LIMITS,
    onLine(line) {
      const said = settings.redact(line.message);
      output.push(said);
      const shown = readable(line, said);
      if (shown !== null) onLine(shown);
    },
    signal,
  });
  signal.throwIfAborted();
  if (ended.cause !== null)
    throw new BuildError('install-failed', `Installing the packages was ended: ${settings.redact(ended.cause.detail)}`);
  return { output, exitCode: ended.exitCode ?? 1, stdout: ended.stdout };
}

/** A line of pip for people. Null for a line that is only about this machine. */
function readable(line: LogLine, said: string): LogLine | null {
  if (/^(Looking in (links|indexes):|\[notice\]|WARNING: The directory .* is not writable)/.test(said)) return null;
  if (said.trim() === '') return null;
  return { ...line, severity: severityOf(said), message: said.replace(/^(ERROR|WARNING): /, '') };
}

function severityOf(message: string): Severity {
  if (message.startsWith('ERROR: ')) return 'ERROR';
  return message.startsWith('WARNING: ') ? 'WARNING' : 'INFO';
}
