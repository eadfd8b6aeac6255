import openapi, { astToString } from 'openapi-typescript';

/** The members of an OpenAPI document that the generator reads. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Answer {
  readonly description?: string;
  readonly content?: Readonly<Record<string, unknown>>;
}

const HEAD = '// Made from the OpenAPI document by `npm run generate`. Change the endpoint, not this file.\n';

/** The table of the operations of one OpenAPI document, by operation id. The only generated file that runs. */
export function tableFile({ paths }: OpenApiDocument): string {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(withoutHead(methods)).map(([method, operation]) => {
      const row = [method.toUpperCase(), path, answerKind(operation)];
      return `  ${operation.operationId}: [${row.map((cell) => `'${cell}'`).join(', ')}],`;
    }),
  );
  return `${HEAD}export const table = {\n${rows.toSorted().join('\n')}\n} as const;\n`;
}

/**
 * The types of the parameters, bodies and answers of one OpenAPI document. Answers from 300 on are left out: the client
 * throws them as errors.
 */
export async function typesFile(document: OpenApiDocument): Promise<string> {
  const reduced = { ...document, paths: mapped(document.paths, (path) => mapped(withoutHead(path), essential)) };
  const nodes = await openapi(JSON.stringify(reduced, withoutLongEnum), {
    alphabetize: true,
    emptyObjectsUnknown: true,
    defaultNonNullable: false,
  });
  const kept = nodes.filter((node) => !LEFT_OUT.has(nameOf(node)));
  return `${HEAD}${astToString(kept)}`;
}

/** Types that say the same as `operations`, in another order, and those that are empty. */
const LEFT_OUT = new Set(['paths', 'webhooks', '$defs']);

/** Enumerations of more values, such as all currencies, are typed as strings. The platform checks them. */
const MAX_ENUM_VALUES = 50;

function withoutLongEnum(_: string, value: unknown): unknown {
  const isLong = isObject(value) && Array.isArray(value['enum']) && value['enum'].length > MAX_ENUM_VALUES;
  return isLong ? { ...value, type: 'string', enum: undefined } : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nameOf(node: unknown): string {
  return (node as { name?: { text?: string } }).name?.text ?? '';
}

function essential({ operationId, summary, parameters, requestBody, responses }: Operation): Operation {
  const successful = Object.entries(responses).filter(([status]) => status < '300');
  return {
    operationId,
    ...(summary !== undefined && { summary }),
    ...(parameters && { parameters }),
    ...(requestBody !== undefined && { requestBody }),
    responses: Object.fromEntries(
      successful.map(([status, { content }]) => [status, { description: '', ...(content && { content }) }]),
    ),
  };
}

/** `json` where the answer can be JSON; other media types are asked for with `accept`. `stream`: the caller reads the body. */
function answerKind({ responses }: Operation): 'json' | 'nothing' | 'stream' {
  const successful = Object.entries(responses).filter(([status]) => status < '300');
  const types = successful.flatMap(([, { content }]) => Object.keys(content ?? {}));
  if (types.length === 0) return 'nothing';
  return types.includes('application/json') ? 'json' : 'stream';
}

/** HEAD answers what GET answers, without its body. */
function withoutHead(methods: Readonly<Record<string, Operation>>): Record<string, Operation> {
  return Object.fromEntries(Object.entries(methods).filter(([method]) => method !== 'head'));
}

function mapped<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
