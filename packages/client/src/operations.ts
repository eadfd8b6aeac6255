import {
  path,
  query,
  readJson,
  readNothing,
  send,
  type Call,
  type CallOptions,
  type Connection,
} from './connection.ts';

/** Row of a generated table: the method, the path with its parameters in braces, and the kind of the answer. */
export type Row = readonly [method: NonNullable<Call['method']>, path: string, answer: 'json' | 'nothing' | 'stream'];

/**
 * One method for each operation of an interface, named by its operation id. `Fixed` are path parameters that the base
 * URL holds already. Methods throw KethubError and UnreachableError.
 */
export type Operations<Types, Table, Fixed extends string = never> = {
  readonly [Id in keyof Types & keyof Table]: Method<Argument<Types[Id], Fixed>, AnswerOf<Types[Id], Table[Id]>>;
};

interface Method<Asked, Answer> {
  (...asked: Optional<Asked>): Promise<Answer>;
  /** The answer with its headers, body unread; also 304, and content that is not JSON. */
  response(...asked: Optional<Asked>): Promise<Response>;
}

type Argument<Type, Fixed extends string> = Omit<ParametersOf<Type>, Fixed> & BodyOf<Type> & RequestOptions;

/** Options beside the parameters and the body of an operation. No parameter has one of these names. */
export interface RequestOptions extends CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
}

/** An argument that can be left out when nothing in it is required. */
type Optional<Argument> = object extends Argument ? [asked?: Argument] : [asked: Argument];

/** Parameters of the path and of the query together; no operation has two of one name. */
type ParametersOf<Type> = Type extends { parameters: infer Given }
  ? (Given extends { path: infer InPath } ? InPath : object) &
      (Given extends { query?: infer InQuery } ? QueryOf<InQuery> : object)
  : object;
/** A parameter that is undefined is left out of the query. */
type QueryOf<InQuery> = [InQuery] extends [undefined] ? object : OrUndefined<NonNullable<InQuery>>;
type OrUndefined<InQuery> = { readonly [Name in keyof InQuery]: InQuery[Name] | undefined };

type BodyOf<Type> = Type extends { requestBody?: never }
  ? object
  : Type extends { requestBody: { content: infer Content } }
    ? OneBody<Content>
    : Type extends { requestBody?: { content: infer Content } }
      ? Partial<OneBody<Content>>
      : object;
type OneBody<Content> =
  | (Content extends { 'application/json': infer Json }
      ? { readonly json: Json } | { readonly jsonText: string }
      : never)
  // A Blob is sent with its own media type, or that of the header `content-type`.
  | (Exclude<keyof Content, 'application/json'> extends never
      ? never
      : { readonly body: Blob | FormData | URLSearchParams | ReadableStream<Uint8Array> });

type AnswerOf<Type, Row> = Row extends readonly [unknown, unknown, 'stream']
  ? Response
  : Row extends readonly [unknown, unknown, 'nothing']
    ? void
    : Type extends { responses: infer Answers }
      ? JsonOf<Answers[keyof Answers]>
      : never;
type JsonOf<Answer> = Answer extends { content: { 'application/json': infer Json } } ? Json : never;

/**
 * The operations of one interface at a connection, from its generated table. `prefix` is the beginning of the paths
 * that the base URL of the connection stands for; operations without it are left out.
 */
export function operationsAt<Types, Table extends Readonly<Record<string, Row>>, Fixed extends string = never>(
  connection: Connection,
  table: Table,
  prefix = '',
): Operations<Types, Table, Fixed> {
  const methods = Object.entries(table)
    .filter(([, [, template]]) => template.startsWith(prefix))
    .map(([id, [method, template, kind]]) => {
      const row: Row = [method, template.slice(prefix.length), kind];
      const response = (asked: Asked = {}) => send(connection, callOf(row, asked));
      const answer = async (asked: Asked = {}) => read(await response(asked), kind, asked.signal);
      return [id, Object.assign(answer, { response })];
    });
  // The compiler cannot derive the types of the methods from the loop.
  return Object.fromEntries(methods) as Operations<Types, Table, Fixed>;
}

type Asked = Pick<Partial<Call>, 'json' | 'jsonText' | 'body' | 'headers' | 'signal'> &
  Readonly<Record<string, unknown>>;

function callOf([method, template, kind]: Row, asked: Asked): Call {
  const { json, jsonText, body, headers, signal, ...parameters } = asked;
  const inQuery = new Map(Object.entries(parameters));
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const part = inQuery.get(name);
    inQuery.delete(name);
    return path`${typeof part === 'number' ? String(part) : typeof part === 'string' ? part : ''}`;
  });
  return {
    method,
    path: filled + query(Object.fromEntries(inQuery)),
    signal,
    ...(json !== undefined && { json }),
    ...(jsonText !== undefined && { jsonText }),
    ...(body !== undefined && { body }),
    headers: { ...(kind === 'stream' && { accept: '*/*' }), ...headers },
  };
}

async function read(response: Response, kind: Row[2], signal: AbortSignal | undefined): Promise<unknown> {
  if (kind === 'json') return readJson(response, signal);
  return kind === 'nothing' ? readNothing(response, signal) : response;
}
