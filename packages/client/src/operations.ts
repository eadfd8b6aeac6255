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
  readonly [Id in keyof Table]: Method<Argument<TypeOf<Types, Id>, Fixed>, AnswerOf<TypeOf<Types, Id>, Table[Id]>>;
};

/** An operation without a type asks for nothing and answers nothing. */
type TypeOf<Types, Id> = Id extends keyof Types ? Types[Id] : object;

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

/** Parameters of the path and of the query together. One that is undefined is left out of the query. */
type ParametersOf<Type> = Type extends { parameters: infer Given }
  ? { readonly [Name in keyof Given]: object extends Pick<Given, Name> ? Given[Name] | undefined : Given[Name] }
  : object;

type BodyOf<Type> = Type extends { request: infer Content }
  ? OneBody<Content>
  : 'request' extends keyof Type
    ? Partial<OneBody<NonNullable<Type['request']>>>
    : object;
type OneBody<Content> =
  | (Content extends { json: infer Json } ? { readonly json: Json } | { readonly jsonText: string } : never)
  // A Blob is sent with its own media type, or that of the header `content-type`.
  | (Content extends { body: unknown }
      ? { readonly body: Blob | FormData | URLSearchParams | ReadableStream<Uint8Array> }
      : never);

type AnswerOf<Type, Row> = Row extends readonly [unknown, unknown, 'stream']
  ? Response
  : Row extends readonly [unknown, unknown, 'nothing']
    ? void
    : Type extends { answer: infer Json }
      ? Json
      : never;

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
