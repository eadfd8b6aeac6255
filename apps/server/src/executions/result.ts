import { isFinal } from '@kethub/contract';
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { etag, isFresh, Problem, requestedRange, type Answer } from '../http/index.ts';
import type { Platform } from '../platform.ts';
import type { ExecutionFileRow, ExecutionRow } from '../storage/index.ts';
import { resultLinks } from './links.ts';
import { mediaTypeOf } from './media-types.ts';
import { presentStatus } from './present.ts';
import { filesOf, findExecution } from './queries.ts';
import { notThere, type ExecutionScope } from './scope.ts';

const json = { 'content-type': 'application/json; charset=utf-8' };

/** `GET /{id}/result`: what the service returned, or the cause why it did not, at the root, and two HAL members. */
export async function readResult(platform: Platform, scope: ExecutionScope, id: string): Promise<Answer> {
  const row = await requireEnded(platform, scope, id);
  const files = await filesOf(platform.database, id);
  const members = JSON.stringify({
    _links: resultLinks(scope.address, id, files),
    _embedded: { status: presentStatus(row) },
  });
  if (row.result_blob !== null) return largeResult(platform, row.result_blob, members);
  return { status: 200, headers: json, body: withMembers(row.result ?? row.cause ?? '{}', members) };
}

/** Adds the members to the text of an object. The text is not parsed: numbers keep every digit. */
function withMembers(object: string, members: string): string {
  const body = object.trim().slice(1, -1).trim();
  return body === '' ? members : `{${body},${members.slice(1)}`;
}

/** The same for a result in a blob, streamed: all of it but the closing brace, then the members. */
async function largeResult(platform: Platform, key: string, members: string): Promise<Answer> {
  const { bytes, stream } = await platform.blobs.get(key);
  async function* body(): AsyncGenerator<Buffer | string> {
    let left = bytes - 1;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      yield chunk.subarray(0, Math.max(0, left));
      left -= chunk.length;
    }
    yield `,${members.slice(1)}`;
  }
  return { status: 200, headers: json, body: Readable.from(body(), { objectMode: false }) };
}

/** `GET /{id}/result/{file}`: one file that the execution left, or a range of it. */
export async function readResultFile(
  platform: Platform,
  scope: ExecutionScope,
  id: string,
  name: string,
  request: FastifyRequest,
): Promise<Answer> {
  const file = await requireFile(platform, scope, id, name);
  const tag = etag(file.blob);
  if (isFresh(request, tag)) return { status: 304, headers: { etag: tag, 'cache-control': CACHE } };
  const range = requestedRange(request, file.bytes, tag);
  const { stream } = await platform.blobs.get(file.blob, range ?? undefined);
  if (!range) return { status: 200, headers: headersOf(file, file.bytes), body: stream };
  const { from, to } = range;
  const headers = { ...headersOf(file, to - from + 1), 'content-range': `bytes ${from}-${to}/${file.bytes}` };
  return { status: 206, headers, body: stream };
}

/** The same without the content. */
export async function describeResultFile(
  platform: Platform,
  scope: ExecutionScope,
  id: string,
  name: string,
  request: FastifyRequest,
): Promise<Answer> {
  const file = await requireFile(platform, scope, id, name);
  const tag = etag(file.blob);
  if (isFresh(request, tag)) return { status: 304, headers: { etag: tag, 'cache-control': CACHE } };
  return { status: 200, headers: headersOf(file, file.bytes) };
}

/** It does not change; but whoever may not read it any more must not get it from a cache. */
const CACHE = 'private, no-cache';

function headersOf({ name, blob }: ExecutionFileRow, length: number): Record<string, string> {
  return {
    etag: etag(blob),
    'cache-control': CACHE,
    'accept-ranges': 'bytes',
    'content-type': mediaTypeOf(name),
    'content-length': String(length),
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name).replaceAll(/['()*]/g, escaped)}`,
    // Files come from user code: a browser must neither guess their type nor run what is in them.
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  };
}

/** RFC 8187: characters that encodeURIComponent leaves. */
function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

async function requireFile(
  platform: Platform,
  scope: ExecutionScope,
  id: string,
  name: string,
): Promise<ExecutionFileRow> {
  await requireEnded(platform, scope, id);
  const file = (await filesOf(platform.database, id)).find((one) => one.name === name);
  if (!file) throw new Problem('result-file-not-found', `The execution has no result file ${JSON.stringify(name)}.`);
  return file;
}

async function requireEnded(platform: Platform, scope: ExecutionScope, id: string): Promise<ExecutionRow> {
  const row = await findExecution(platform.database, scope, id);
  if (!row) throw notThere(scope, id);
  if (!isFinal(row.status))
    throw new Problem('result-not-available', `The execution is ${row.status}. The result is there once it has ended.`);
  return row;
}
