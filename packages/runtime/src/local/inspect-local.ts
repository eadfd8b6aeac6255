import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import type { Parameter } from '../build/outcome.ts';
import { BuildError } from '../build/problem.ts';
import { readReport } from '../build/report.ts';
import type { LogLine } from '../types.ts';
import { parseLine } from '../runner/log-file.ts';
import { PYTHON_SIDE } from '../version.ts';

/** Milliseconds for one question to Python. Beyond them it is ended. */
const LONGEST_MS = 120_000;
/** Bytes of an answer. A longer one is cut off, and then refused. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Characters of a line that the code writes. The rest is dropped. */
const LINE_CHARACTERS = 10_000;
/** Our own modules, which every process has. */
const OURS = new Set(['src', 'kethub', 'kethub_runtime']);

/** The answer of one of our Python scripts about the code. */
export interface Asked {
  readonly stdout: string;
  readonly code: number | null;
  readonly timedOut: boolean;
}

/** Runs one of our Python scripts on the code. `onStderr` gets the lines that the code writes meanwhile. */
export type Ask = (script: string, signal: AbortSignal, onStderr?: (line: string) => void) => Promise<Asked>;

/** Folders of the code and the packages of a service on this machine. */
export interface LocalCode {
  readonly python: string;
  readonly sourceDir: string;
  readonly packages: string | null;
  readonly environment: Readonly<Record<string, string>>;
}

/** A module that the service imports although its requirements do not bring it: on the platform it is missing. */
export interface UnlistedImport {
  readonly module: string;
  readonly distribution: string;
  /** Path relative to the project. */
  readonly file: string;
  readonly line: number;
}

export interface LocalInspection {
  readonly parameters: Parameter[];
  /** JSON Schema of the value that `run` returns, or null where none is known. */
  readonly result: unknown;
  readonly description: string | null;
  /** Modules that a waiting process imports. */
  readonly imports: string[];
  readonly unlisted: UnlistedImport[];
}

/**
 * Imports the program once and reads the parameters of `run`, as a build on the platform does, but without a sandbox.
 * @throws BuildError naming file and line when the program cannot be imported or has no usable `run`.
 */
export async function inspectLocally(
  code: LocalCode,
  signal: AbortSignal,
  onLine: (line: LogLine) => void = () => undefined,
): Promise<LocalInspection> {
  return inspectBy(askHere(code), code.sourceDir, signal, onLine);
}

/** Does the same by an interpreter elsewhere, such as in a container. */
export async function inspectBy(
  ask: Ask,
  sourceDir: string,
  signal: AbortSignal,
  onLine: (line: LogLine) => void = () => undefined,
): Promise<LocalInspection> {
  const asked = await ask('inspect_service.py', signal, (line) => {
    onLine(parseLine(line.slice(0, LINE_CHARACTERS), 'WARNING'));
  });
  const report = readReport(asked.stdout);
  if (report === null) {
    const why = asked.timedOut
      ? `Importing src/program.py took longer than ${LONGEST_MS / 1000} seconds. Put what takes long into run().`
      : `src/program.py ended Python while it was imported (exit code ${asked.code}). Put what should run into run().`;
    throw new BuildError('inspection-failed', why);
  }
  const listed = jsonOf(await ask('read_imports.py', signal));
  const own = new Set((await readdir(sourceDir)).map((entry) => entry.replace(/\.py$/, '')));
  const names = Array.isArray(listed) ? listed.filter((one): one is string => typeof one === 'string') : [];
  const { modules } = report;
  return {
    parameters: report.parameters,
    result: report.result,
    description: descriptionIn(asked.stdout),
    imports: names.filter((name) => {
      const [top = ''] = name.split('.');
      return !OURS.has(top) && !own.has(top) && modules?.has(name) === true;
    }),
    unlisted: await unlistedImports(ask, signal),
  };
}

async function unlistedImports(ask: Ask, signal: AbortSignal): Promise<UnlistedImport[]> {
  const answer = jsonOf(await ask('check_requirements.py', signal));
  return Array.isArray(answer) ? (answer as UnlistedImport[]) : [];
}

/** Asks by an interpreter of this machine, as the user of ket. */
function askHere({ python, sourceDir, packages, environment }: LocalCode): Ask {
  return async (script, signal, onStderr) => {
    signal.throwIfAborted();
    const options = ['--app', sourceDir, '--deps', packages ?? `${sourceDir}/.none`];
    const child = spawn(python, ['-I', '-S', '-B', '-u', `${PYTHON_SIDE}/${script}`, ...options], {
      cwd: sourceDir,
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/tmp', LANG: 'C.UTF-8', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let partialLine = '';
    let timedOut = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (stdout.length < MOST_BYTES) stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const lines = (partialLine + text).split('\n');
      // A line without an end is cut, so that it cannot fill the memory.
      partialLine = (lines.pop() ?? '').slice(0, LINE_CHARACTERS);
      for (const line of lines) onStderr?.(line);
    });
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, LONGEST_MS);
    try {
      const code = await new Promise<number | null>((resolve, reject) => {
        child.once('error', reject);
        child.once('close', resolve);
      });
      return { stdout, code, timedOut };
    } finally {
      clearTimeout(timer);
    }
  };
}

function jsonOf({ stdout }: Asked): unknown {
  try {
    return JSON.parse(stdout) as unknown;
  } catch {
    return null;
  }
}

function descriptionIn(stdout: string): string | null {
  const { interface: declared } = JSON.parse(stdout) as { interface?: { description?: unknown } };
  return typeof declared?.description === 'string' ? declared.description.slice(0, 5_000) : null;
}
