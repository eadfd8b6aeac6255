import {
  path,
  query,
  send,
  sendForJson,
  sendForNothing,
  type Call,
  type CallOptions,
  type Connection,
} from './connection.ts';

/** A row of a generated table: the method, the path with its parameters in braces, and what the answer holds. */
export type Row = readonly [method: NonNullable<Call['method']>, path: string, answer: 'json' | 'nothing' | 'stream'];

/** One method for each operation of an interface, named by its operation id. They throw KethubError and UnreachableError. */
export type Operations<Types, Table> = {
  readonly [Id in keyof Types & keyof Table]: Method<Types[Id], Table[Id]>;
};

type Method<Type, Row> = (
  ...asked: Optional<ParametersOf<Type> & BodyOf<Type> & RequestOptions>
) => Promise<AnswerOf<Type, Row>>;

/** Beside the parameters of the operation and its body; no parameter has one of these names. */
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
type QueryOf<InQuery> = [InQuery] extends [undefined] ? object : NonNullable<InQuery>;

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
  // A file is sent with the media type of the blob, or with the header `content-type`.
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

/** The operations of one interface at a connection, from the generated table of it. */
export function operationsAt<Types, Table extends Readonly<Record<string, Row>>>(
  connection: Connection,
  table: Table,
): Operations<Types, Table> {
  const methods = Object.entries(table).map(([id, row]) => [id, (asked: Asked = {}) => ask(connection, row, asked)]);
  // The loop cannot say to the compiler that each method takes and returns what the types of its id say.
  return Object.fromEntries(methods) as Operations<Types, Table>;
}

type Asked = Pick<Partial<Call>, 'json' | 'jsonText' | 'body' | 'headers' | 'signal'> &
  Readonly<Record<string, unknown>>;

async function ask(connection: Connection, [method, template, answer]: Row, asked: Asked): Promise<unknown> {
  const { json, jsonText, body, headers, signal, ...parameters } = asked;
  const inQuery = new Map(Object.entries(parameters));
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const part = inQuery.get(name);
    inQuery.delete(name);
    return path`${typeof part === 'string' ? part : ''}`;
  });
  const call: Call = {
    method,
    path: filled + query(Object.fromEntries(inQuery)),
    signal,
    ...(json !== undefined && { json }),
    ...(jsonText !== undefined && { jsonText }),
    ...(body !== undefined && { body }),
    headers: { ...(answer === 'stream' && { accept: '*/*' }), ...headers },
  };
  if (answer === 'json') return sendForJson(connection, call);
  if (answer === 'nothing') return sendForNothing(connection, call);
  return send(connection, call);
}
