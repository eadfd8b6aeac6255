import openapi, { astToString } from 'openapi-typescript';

/** What is read of an OpenAPI document. */
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

/**
 * The client's file for one OpenAPI document: the table of its operations by operation id, and the types of their
 * parameters, bodies and answers. Answers from 300 on are left out: the client throws them as errors.
 */
export async function operationsFile(document: OpenApiDocument): Promise<string> {
  const reduced = { ...document, paths: mapped(document.paths, (path) => mapped(withoutHead(path), essential)) };
  const nodes = await openapi(JSON.stringify(reduced), { alphabetize: true, emptyObjectsUnknown: true });
  const kept = nodes.filter((node) => !LEFT_OUT.has(nameOf(node)));
  return `${HEAD}${tableOf(document)}\n${astToString(kept)}`;
}

/** Types that say the same as `operations`, in another order, and those that are empty. */
const LEFT_OUT = new Set(['paths', 'webhooks', '$defs']);

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

function tableOf({ paths }: OpenApiDocument): string {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(withoutHead(methods)).map(([method, operation]) => {
      const row = [method.toUpperCase(), path, answerKind(operation)];
      return `  ${operation.operationId}: [${row.map((cell) => `'${cell}'`).join(', ')}],`;
    }),
  );
  return `export const table = {\n${rows.toSorted().join('\n')}\n} as const;\n`;
}

/** `stream`: the body is for the caller to read. */
function answerKind({ responses }: Operation): 'json' | 'nothing' | 'stream' {
  const successful = Object.entries(responses).filter(([status]) => status < '300');
  const types = successful.flatMap(([, { content }]) => Object.keys(content ?? {}));
  if (types.length === 0) return 'nothing';
  return types.every((type) => type === 'application/json') ? 'json' : 'stream';
}

/** HEAD answers what GET answers, without its body. */
function withoutHead(methods: Readonly<Record<string, Operation>>): Record<string, Operation> {
  return Object.fromEntries(Object.entries(methods).filter(([method]) => method !== 'head'));
}

function mapped<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
