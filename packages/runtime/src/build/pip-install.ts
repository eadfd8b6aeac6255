import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PYTHON } from '../sandbox/root.ts';
import { BUILD_SHARE } from './build-limits.ts';
import type { Bind, Runtime, Severity } from '../types.ts';
import type { HostPython } from './host-python.ts';
import type { OnLine } from './outcome.ts';
import { pipProblem } from './pip-problem.ts';
import { pipSettings } from './pip-settings.ts';
import { BuildError } from './problem.ts';
import type { Requirement } from './requirements.ts';

// The resolver of pip keeps the metadata of all candidates in memory; downloads go to the disk.
const LIMITS = {
  ...BUILD_SHARE,
  processes: 64,
  runTimeMs: 15 * 60_000,
  tmpBytes: 64 * 2 ** 20,
  fileBytes: 3 * 2 ** 30,
  logBytes: 4 * 2 ** 20,
};

// A source distribution runs its own code when it is built; a wheel is only unpacked.
const OPTIONS =
  '--only-binary :all: --no-compile --no-cache-dir --no-input --no-color --progress-bar off --disable-pip-version-check';

export interface PipRun {
  runtime: Pick<Runtime, 'sandboxed'>;
  python: HostPython;
  /** Where settings, proxies and certificates are read from. */
  environment: NodeJS.ProcessEnv;
  /** Holds `requirements.txt` and the empty folders `packages`, `tmp` and `settings`. */
  draft: string;
  requirements: readonly Requirement[];
  onLine: OnLine;
  signal: AbortSignal;
}

/**
 * Installs the requirements of a draft into its folder `packages`: in a sandbox, with the network of this machine.
 * @throws BuildError when the packages cannot be had.
 */
export async function pipInstall({
  runtime,
  python,
  environment,
  draft,
  requirements,
  onLine,
  signal,
}: PipRun): Promise<void> {
  const { pip } = python;
  if (pip === null) {
    throw new BuildError(
      'pip-missing',
      'The operator of the platform has to install it (Debian, Ubuntu: apt-get install python3-pip).',
    );
  }
  const settings = await pipSettings(pip, environment, join(draft, 'settings'), '/build/settings');
  const place = pip.isWheel ? '/pip/pip.whl' : '/pip/pip';
  const program = pip.isWheel ? `${place}/pip` : place;
  const binds: Bind[] = [
    { from: draft, to: '/build', writable: true },
    { from: pip.path, to: place, writable: false },
    ...settings.binds,
  ];
  // The index may be known by this file only; `/etc/resolv.conf` is there already.
  if (existsSync('/etc/hosts')) binds.push({ from: '/etc/hosts', to: '/etc/hosts', writable: false });
  const places = ['--requirement', '/build/requirements.txt', '--target', '/build/packages'];
  const output: string[] = [];
  const ended = await runtime.sandboxed({
    command: [PYTHON, '-I', '-S', '-B', '-u', program, 'install', ...places, ...OPTIONS.split(' ')],
    binds,
    environment: { HOME: '/build/tmp', TMPDIR: '/build/tmp', PIP_ROOT_USER_ACTION: 'ignore', ...settings.environment },
    workingDirectory: '/build',
    network: 'HOST',
    limits: LIMITS,
    onLine(line) {
      output.push(line.message);
      const message = readable(line.message);
      if (message !== null) onLine({ ...line, severity: severityOf(line.message), message });
    },
    signal,
  });
  signal.throwIfAborted();
  if (ended.cause !== null)
    throw new BuildError('install-failed', `Installing the packages was ended: ${ended.cause.detail}`);
  if (ended.exitCode !== 0) throw pipProblem(output, requirements, python);
}

/** A line of pip as people should read it, or null for one that only speaks of this machine. Credentials in addresses are hidden. */
function readable(message: string): string | null {
  if (/^(Looking in (links|indexes):|\[notice\])/.test(message) || message.trim() === '') return null;
  return message.replace(/^(ERROR|WARNING): /, '').replaceAll(/:\/\/[^/@\s]+@/g, '://****@');
}

function severityOf(message: string): Severity {
  if (message.startsWith('ERROR: ')) return 'ERROR';
  return message.startsWith('WARNING: ') ? 'WARNING' : 'INFO';
}
