import { Readable } from 'node:stream';
import { pageOfExecutions, presentStatus, type StatusRow } from '../executions/index.ts';
import type { Answer } from '../http/index.ts';
import type { Platform } from '../platform.ts';
import type { Subscriber } from './access.ts';
import { executionLinks } from './links.ts';

/** Rows read at a time while the whole list is streamed: memory stays flat whatever its length. */
const CHUNK = 500;
const json = { 'content-type': 'application/json; charset=utf-8' };

/** `GET /`: executions of this subscription, newest first; all of them, or a page with a link to the next. */
export async function listExecutions(
  platform: Platform,
  caller: Subscriber,
  query: { limit?: number; cursor?: string },
): Promise<Answer> {
  const entry = (row: StatusRow): string =>
    JSON.stringify({ ...presentStatus(row), _links: executionLinks(caller.endpoint, row.id) });
  const { limit, cursor = null } = query;
  if (limit === undefined) {
    return {
      status: 200,
      headers: json,
      body: Readable.from(everything(platform, caller, cursor, entry), { objectMode: false }),
    };
  }
  const rows = await pageOfExecutions(platform.database, caller.subscriptionId, cursor, limit + 1);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const more = rows.length > limit && last !== undefined;
  const next = more ? { link: `<${caller.endpoint}/?limit=${limit}&cursor=${last.id}>; rel="next"` } : {};
  return { status: 200, headers: { ...json, ...next }, body: `[${page.map(entry).join(',')}]` };
}

async function* everything(
  platform: Platform,
  caller: Subscriber,
  from: string | null,
  entry: (row: StatusRow) => string,
): AsyncGenerator<string> {
  let cursor = from;
  let separator = '[';
  for (;;) {
    const rows = await pageOfExecutions(platform.database, caller.subscriptionId, cursor, CHUNK);
    if (rows.length > 0) yield separator + rows.map(entry).join(',');
    if (rows.length > 0) separator = ',';
    const last = rows.at(-1);
    if (rows.length < CHUNK || !last) break;
    cursor = last.id;
  }
  yield separator === '[' ? '[]' : ']';
}
