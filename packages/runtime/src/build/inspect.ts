import { PYTHON } from '../sandbox/root.ts';
import { BUILD_SHARE } from './build-limits.ts';
import type { LogLine, Runtime } from '../types.ts';
import type { Tell } from './log.ts';
import type { Parameter } from './outcome.ts';
import { readImports } from './read-imports.ts';
import { BuildError, isBuildProblemCode } from './problem.ts';

const LIMITS = {
  ...BUILD_SHARE,
  processes: 64,
  runTimeMs: 60_000,
  tmpBytes: 64 * 2 ** 20,
  fileBytes: 2 ** 26,
  logBytes: 2 ** 20,
};
const KINDS = ['data', 'secret', 'dataPool', 'other'] as const;

export interface Inspected {
  parameters: Parameter[];
  /** JSON Schema of what `run` returns, or null where none is known. */
  result: unknown;
  /** Third-party and standard modules that the program imports at its top. The runner judges them again. */
  imports: string[];
}

/**
 * Imports the program once, without network, and reads what `run` asks for. The program shares the process that tells this
 * and may tell something else, about itself alone: no right, limit or path follows from it. Which modules a warm worker
 * imports is read from the text of the program, in another sandbox that runs nothing of it.
 * @throws BuildError naming file and line when it cannot be imported or has no usable `run`.
 */
export async function inspectService(
  runtime: Pick<Runtime, 'sandboxed'>,
  sourceDir: string,
  layerDir: string | null,
  tell: Tell,
  signal: AbortSignal,
): Promise<Inspected> {
  const binds = [{ from: sourceDir, to: '/app', writable: false }];
  if (layerDir !== null) binds.push({ from: layerDir, to: '/deps', writable: false });
  const ended = await runtime.sandboxed({
    command: [PYTHON, '-I', '-S', '-B', '-u', '/runner/inspect_service.py'],
    binds,
    environment: {},
    network: 'NONE',
    limits: LIMITS,
    onLine(line) {
      if (!isReport(line)) tell.line(line);
    },
    signal,
  });
  signal.throwIfAborted();
  if (ended.cause !== null) {
    const detail = `Importing src/program.py was ended: ${ended.cause.detail} Put what takes long or needs much into run().`;
    throw new BuildError('inspection-failed', detail);
  }
  const report = parseReport(ended.stdout);
  if (report === null) {
    const detail = `src/program.py ended Python while it was imported (exit code ${ended.exitCode}). Put what should run into run().`;
    throw new BuildError('inspection-failed', detail);
  }
  const inspected = read(report);
  const { modules } = report;
  if (!Array.isArray(modules)) return { ...inspected, imports: [] };
  const needed = new Set<unknown>(modules);
  const imports = await readImports(runtime, sourceDir, LIMITS, signal);
  return { ...inspected, imports: imports.filter((name) => needed.has(name)) };
}

/** The report is all that stdout holds; what the program prints goes to stderr. */
function isReport(line: LogLine): boolean {
  return line.severity === 'INFO' && /^\{"(interface|problem)": \{/.test(line.message);
}

/** The report was written in a process that the program shares, so nothing in it is taken for granted. */
function parseReport(stdout: string): Record<string, unknown> | null {
  try {
    const report: unknown = JSON.parse(stdout);
    return isObject(report) ? report : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function read(report: Record<string, unknown>): Omit<Inspected, 'imports'> {
  const { problem, interface: declared } = report;
  if (isObject(problem)) {
    const code = String(problem['code']);
    const detail = String(problem['detail']).slice(0, 4_000);
    if (!isBuildProblemCode(code)) throw new BuildError('inspection-failed', detail);
    throw new BuildError(code, detail, String(problem['title']).slice(0, 200));
  }
  const parameters = isObject(declared) && Array.isArray(declared['parameters']) ? declared['parameters'] : null;
  if (parameters === null)
    throw new BuildError('inspection-failed', 'src/program.py took over the output of the inspection.');
  return {
    parameters: parameters.map(readParameter),
    result: (isObject(declared) ? declared['resultSchema'] : null) ?? null,
  };
}

function readParameter(value: unknown): Parameter {
  const parameter = isObject(value) ? value : {};
  const { name, kind, required, annotation, schema } = parameter;
  return {
    name: String(name),
    kind: KINDS.find((one) => one === kind) ?? 'other',
    required: required === true,
    annotation: typeof annotation === 'string' ? annotation : null,
    schema: schema ?? null,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
