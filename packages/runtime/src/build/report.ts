import { inspectJson } from '../json/index.ts';
import { ACCEPTS, type Parameter } from './outcome.ts';
import { BuildError, isBuildProblemCode } from './problem.ts';

/**
 * Limits of a report, which describes the signature of one function: bytes, nesting, objects and arrays. Beyond one of
 * them it is refused.
 */
const LIMITS = { bytes: 2 * 1024 * 1024, depth: 100, containers: 20_000 };
const MOST_PARAMETERS = 1_000;
const NAME_LENGTH = 200;
const ANNOTATION_LENGTH = 4_000;
const DESCRIPTION_LENGTH = 2_000;
/** A name that Python accepts for a parameter. */
const NAME = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u;
const KINDS = ['data', 'secret', 'dataPool', 'other'] as const;

/**
 * The report of the process that imports the program. The program can forge it, so no right, limit or path follows from
 * it. The platform rebuilds it from names, kinds and schemas of parameters, each checked for its form, and nothing
 * else.
 */
export interface Report {
  parameters: Parameter[];
  /** JSON Schema of the value that `run` returns, or null where none is known. */
  result: unknown;
  /**
   * Names of modules that it has imported, or null when it does not say. They only shorten the list from the program's
   * text.
   */
  modules: ReadonlySet<string> | null;
}

/**
 * Reads the report of an inspection. The program shares the process that writes it, so its bytes are checked before it
 * is parsed. Null when it is no report.
 * @throws BuildError with the problem that it reports, or when it exceeds every plausible signature.
 */
export function readReport(stdout: string): Report | null {
  const bytes = Buffer.from(stdout);
  const shape = inspectJson(bytes, LIMITS);
  if ('problem' in shape) {
    if (shape.problem.startsWith('it is not JSON')) return null;
    throw new BuildError(
      'inspection-failed',
      `The description of run() by src/program.py cannot be kept: ${shape.problem}.`,
    );
  }
  const report: unknown = JSON.parse(bytes.toString('utf8', shape.from, shape.to));
  if (!isObject(report)) return null;
  const { problem, interface: declared, modules } = report;
  if (isObject(problem)) throw problemOf(problem);
  const parameters = isObject(declared) ? declared['parameters'] : null;
  if (!isObject(declared) || !Array.isArray(parameters)) throw tookOver();
  if (parameters.length > MOST_PARAMETERS)
    throw new BuildError('inspection-failed', `run() has more than ${MOST_PARAMETERS} parameters.`);
  const read = parameters.map(readParameter);
  if (new Set(read.map(({ name }) => name)).size < read.length) throw tookOver();
  return {
    parameters: read,
    result: schemaOf(declared['resultSchema']),
    modules: Array.isArray(modules) ? new Set(modules.filter((name) => typeof name === 'string')) : null,
  };
}

function problemOf({ code, title, detail }: Record<string, unknown>): BuildError {
  const words = textOf(detail).slice(0, 4_000);
  if (typeof code !== 'string' || !isBuildProblemCode(code)) return new BuildError('inspection-failed', words);
  return new BuildError(code, words, textOf(title).slice(0, 200));
}

function readParameter(value: unknown): Parameter {
  const { name, kind, required, annotation, description, schema, accepts } = isObject(value) ? value : {};
  if (typeof name !== 'string' || name.length > NAME_LENGTH || !NAME.test(name)) throw tookOver();
  return {
    name,
    kind: KINDS.find((one) => one === kind) ?? 'other',
    required: required === true,
    annotation: typeof annotation === 'string' ? annotation.slice(0, ANNOTATION_LENGTH) : null,
    description: typeof description === 'string' ? description.slice(0, DESCRIPTION_LENGTH) : null,
    schema: schemaOf(schema),
    accepts: ACCEPTS.find((one) => one === accepts) ?? 'NONE',
  };
}

/** A self-contained JSON Schema. A schema that refers elsewhere, or is none, counts as none. */
function schemaOf(value: unknown): unknown {
  return isObject(value) && isOwn(value) ? value : null;
}

/** Returns whether a schema refers only to itself. The scan of the report has limited its depth. */
function isOwn(node: unknown): boolean {
  if (Array.isArray(node)) return node.every(isOwn);
  if (!isObject(node)) return true;
  const { $ref: reference } = node;
  if (typeof reference === 'string' && !/^#(\/|$)/.test(reference)) return false;
  return Object.values(node).every(isOwn);
}

function tookOver(): BuildError {
  return new BuildError('inspection-failed', 'src/program.py took over the output of the inspection.');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
