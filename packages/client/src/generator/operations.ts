import openapi, { astToString } from 'openapi-typescript';

/** The members of an OpenAPI document that the generator reads. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> };
}

interface Operation {
  readonly operationId: string;
  readonly summary?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: unknown;
}

interface Answer {
  readonly content?: Content;
}

type Content = Readonly<Record<string, { readonly schema?: unknown } | undefined>>;

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
 * The types of one OpenAPI document: its schemas, and one type for each operation, named by its id. That type has
 * `parameters`, `request` and `answer` where the operation has them. Headers are left out. So are answers from 300 on,
 * which the client throws as errors.
 */
export async function typesFile({ paths, components, ...document }: OpenApiDocument): Promise<string> {
  const operations = Object.values(paths).flatMap((methods) => Object.values(withoutHead(methods)));
  const types = Object.fromEntries(
    operations.flatMap((operation) => {
      const type = typeOf(operation);
      return type ? [[operation.operationId, type]] : [];
    }),
  );
  const reduced = { ...document, paths: {}, components: { schemas: { ...components?.schemas, ...types } } };
  const nodes = await openapi(JSON.stringify(reduced, essential), {
    alphabetize: true,
    emptyObjectsUnknown: true,
    defaultNonNullable: false,
  });
  const kept = nodes.filter((node) => nameOf(node) === 'components');
  return `${HEAD}${compact(astToString(kept))}`;
}

/** Longest line that `compact` makes, in characters. */
const LINE = 120;

/** Leaves out the comments about enumerations, and writes objects that fit, without comments inside, on one line. */
function compact(text: string): string {
  const described = text
    .replaceAll(/^ *\/\*\* @enum \{unknown\} \*\/\n/gm, '')
    .replaceAll(/\/\*\*\n *\* ([^\n]*)\n *\* @enum \{unknown\}\n *\*\//g, '/** $1 */');
  const joined = described.replaceAll(/^(.*\{)\n((?: +[^ }/*][^\n]*;\n)+) *(\}.*)$/gm, (whole, open, inside, close) => {
    const members = inside.trimEnd().replaceAll(/\n +/g, ' ').trimStart();
    const line = `${open} ${members} ${close}`;
    return line.length <= LINE ? line : whole;
  });
  return joined === text ? text : compact(joined);
}

/** Enumerations of more values, such as all currencies, are typed as strings. The platform checks them. */
const MAX_ENUM_VALUES = 50;

/** Leaves out what has no type. A description becomes the comment. */
function essential(name: string, value: unknown): unknown {
  if (!isObject(value) || name === 'properties') return value;
  const { format: _format, examples: _examples, example: _example, description, ...type } = value;
  const isLong = Array.isArray(type['enum']) && type['enum'].length > MAX_ENUM_VALUES;
  return {
    ...type,
    ...(typeof description === 'string' && { summary: description }),
    ...(isLong && { type: 'string', enum: undefined }),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nameOf(node: unknown): string {
  return (node as { name?: { text?: string } }).name?.text ?? '';
}

/** The schema of the type of an operation; null when nothing is asked or answered. */
function typeOf({ summary, parameters = [], requestBody, responses }: Operation): object | null {
  const asked = parameters.filter((parameter) => parameter.in !== 'header');
  const { 'application/json': json, ...others } = requestBody?.content ?? {};
  const request = { ...(json && { json: json.schema }), ...(Object.keys(others).length > 0 && { body: {} }) };
  const answers = successful(responses).flatMap(({ content }) => content?.['application/json']?.schema ?? []);
  const [answer, ...more] = new Map(answers.map((schema) => [JSON.stringify(schema), schema])).values();
  const members = {
    ...(asked.length > 0 && {
      parameters: record(
        Object.fromEntries(asked.map(({ name, schema }) => [name, schema])),
        asked.filter(({ required }) => required).map(({ name }) => name),
      ),
    }),
    ...(requestBody && { request: record(request) }),
    ...(answer !== undefined && { answer: more.length > 0 ? { anyOf: [answer, ...more] } : answer }),
  };
  const required = Object.keys(members).filter((name) => name !== 'request' || requestBody?.required === true);
  return Object.keys(members).length === 0 ? null : { ...record(members, required), summary };
}

function record(properties: Record<string, unknown>, required = Object.keys(properties)): object {
  return { type: 'object', properties, required, additionalProperties: false };
}

function successful(responses: Operation['responses']): Answer[] {
  return Object.entries(responses).flatMap(([status, answer]) => (status < '300' ? [answer] : []));
}

/** `json` where the answer can be JSON; other media types are asked for with `accept`. `stream`: the caller reads the body. */
function answerKind({ responses }: Operation): 'json' | 'nothing' | 'stream' {
  const types = successful(responses).flatMap(({ content }) => Object.keys(content ?? {}));
  if (types.length === 0) return 'nothing';
  return types.includes('application/json') ? 'json' : 'stream';
}

/** HEAD answers what GET answers, without its body. */
function withoutHead(methods: Readonly<Record<string, Operation>>): Record<string, Operation> {
  return Object.fromEntries(Object.entries(methods).filter(([method]) => method !== 'head'));
}
