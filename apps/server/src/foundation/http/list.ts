import { Readable } from 'node:stream';
import { Id, limits } from '@kethub/contract';
import { Type, type Static } from 'typebox';
import type { Answer } from './endpoint.ts';

/** Rows read at a time while a whole list is streamed, so that memory does not grow with its length. */
const CHUNK = 500;

/** The query of a list. With `limit` it gets a page, without it the whole list. */
export const ListQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.pageSize })),
  cursor: Type.Optional(Id),
});
export type ListQuery = Static<typeof ListQuery>;

/** The query of the address of a list, with its filters. */
export function searchOf(filters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(filters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return given.length === 0 ? '' : `?${given.join('&')}`;
}

/** Part of a name, in upper or lower case. */
export const NamePart = Type.String({
  minLength: 1,
  maxLength: limits.nameLength,
  description: 'Part of the name, in upper or lower case.',
});

/** Source of a list. */
export interface Listing<Row> {
  /** Address of the list, with its query except `limit` and `cursor`. */
  readonly address: string;
  /** Rows in the order of the list after `cursor`, or from the beginning. */
  readonly load: (cursor: string | null, limit: number) => Promise<readonly Row[]>;
  readonly present: (row: Row) => unknown;
}

/** Answers with a JSON array, streamed as a whole, or a page with `Link: rel="next"` (RFC 8288) while there is more. */
export async function list<Row extends { readonly id: string }>(
  query: ListQuery,
  listing: Listing<Row>,
): Promise<Answer> {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  const { limit, cursor = null } = query;
  if (limit === undefined) {
    return { status: 200, headers, body: Readable.from(everything(listing, cursor), { objectMode: false }) };
  }
  const rows = await listing.load(cursor, limit + 1);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const more = rows.length > limit && last !== undefined;
  const separator = listing.address.includes('?') ? '&' : '?';
  const next = more ? { link: `<${listing.address}${separator}limit=${limit}&cursor=${last.id}>; rel="next"` } : {};
  return { status: 200, headers: { ...headers, ...next }, body: `[${text(page, listing)}]` };
}

async function* everything<Row extends { readonly id: string }>(
  listing: Listing<Row>,
  from: string | null,
): AsyncGenerator<string> {
  let cursor = from;
  let separator = '[';
  for (;;) {
    const rows = await listing.load(cursor, CHUNK);
    if (rows.length > 0) yield separator + text(rows, listing);
    if (rows.length > 0) separator = ',';
    const last = rows.at(-1);
    if (rows.length < CHUNK || !last) break;
    cursor = last.id;
  }
  yield separator === '[' ? '[]' : ']';
}

function text<Row>(rows: readonly Row[], { present }: Listing<Row>): string {
  return rows.map((row) => JSON.stringify(present(row))).join(',');
}
