import { PYTHON } from '../sandbox/root.ts';
import { BUILD_SHARE } from './build-limits.ts';
import type { LogLine, Runtime } from '../types.ts';
import { inPython, type HostPython } from './host-python.ts';
import type { BuildLog } from './build-log.ts';
import type { Parameter } from './outcome.ts';
import { readImports } from './read-imports.ts';
import { BuildError } from './problem.ts';
import { readReport } from './report.ts';

const LIMITS = {
  ...BUILD_SHARE,
  processes: 64,
  runTimeMs: 60_000,
  tmpBytes: 64 * 2 ** 20,
  fileBytes: 2 ** 26,
  logBytes: 2 ** 20,
};

interface Inspected {
  parameters: Parameter[];
  /** JSON Schema of the value that `run` returns, or null where none is known. */
  result: unknown;
  /** Third-party and standard modules that the program imports at its top level. The runner checks them again. */
  imports: string[];
}

/**
 * Imports the program once, without network, and reads the parameters of `run`. The program shares the process that
 * makes the report, so it can forge it, but only about itself. No right, limit or path follows from the report. The
 * imports of a warm worker are read from the text of the program, in another sandbox that runs none of it.
 * @throws BuildError naming file and line when the program cannot be imported or has no usable `run`.
 */
export async function inspectService(
  runtime: Pick<Runtime, 'sandboxed'>,
  sourceDir: string,
  layerDir: string | null,
  python: HostPython,
  log: BuildLog,
  signal: AbortSignal,
): Promise<Inspected> {
  const binds = [{ from: sourceDir, to: '/app', writable: false }];
  if (layerDir !== null) binds.push({ from: layerDir, to: '/deps', writable: false });
  const ended = await runtime.sandboxed({
    command: [PYTHON, '-I', '-S', '-B', '-u', '/runner/inspect_service.py'],
    binds,
    environment: {},
    ...inPython(python),
    network: 'NONE',
    limits: LIMITS,
    onLine(line) {
      if (!isReport(line)) log.line(line);
    },
    signal,
  });
  signal.throwIfAborted();
  if (ended.cause !== null) {
    const detail = `Importing src/program.py was ended: ${ended.cause.detail} Put what takes long or needs much into run().`;
    throw new BuildError('inspection-failed', detail);
  }
  const report = readReport(ended.stdout);
  if (report === null) {
    const detail = `src/program.py ended Python while it was imported (exit code ${ended.exitCode}). Put what should run into run().`;
    throw new BuildError('inspection-failed', detail);
  }
  const { modules, ...inspected } = report;
  if (modules === null) return { ...inspected, imports: [] };
  const imports = await readImports(runtime, sourceDir, python, LIMITS, signal);
  return { ...inspected, imports: imports.filter((name) => modules.has(name)) };
}

/** Returns whether a line is the report, which is all that stdout holds. Output of the program goes to stderr. */
function isReport(line: LogLine): boolean {
  return line.severity === 'INFO' && /^\{"(interface|problem)": \{/.test(line.message);
}
