import { isFinal, toTimestamp } from '@kethub/contract';
import { mediaTypeOf, memberStream, RESULT_FILE_POLICY, resultLinks, withMembers } from '@kethub/service-api';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import {
  describeDownload,
  download,
  etag,
  isFresh,
  notModified,
  Problem,
  requestedRange,
  type Answer,
  type Download,
} from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { ExecutionFileRow, ExecutionRow } from '../../foundation/storage/index.ts';
import { presentStatus } from './present.ts';
import { filesOf, findExecution } from './queries.ts';
import { executionNotFound, type ExecutionScope } from './scope.ts';

/** The result document of an execution. Throws execution-not-found, result-not-available, result-expired. */
export async function readResult(platform: Platform, scope: ExecutionScope, id: string): Promise<string | Readable> {
  return resultDocument(platform, await requireEnded(platform, scope, id), scope.address);
}

/**
 * The result of an execution that has ended, or the cause why it did not succeed, with two HAL members at the root. A
 * result in a blob is streamed. `address` is where executions stand. Throws result-expired.
 */
async function resultDocument(platform: Platform, row: ExecutionRow, address: string): Promise<string | Readable> {
  const members = JSON.stringify(await resultMembers(platform, row, address));
  if (row.result_blob !== null) return memberStream(await platform.blobs.get(row.result_blob), members);
  return withMembers(row.result ?? row.cause ?? '{}', members);
}

/** The HAL members beside a result. `address` is where executions stand. Throws result-expired. */
export async function resultMembers({ database }: Platform, row: ExecutionRow, address: string) {
  // The cause is kept when the result is deleted.
  if (row.cause === null) requireKept(row);
  const files = await filesOf(database, row.id);
  return { _links: resultLinks(address, row.id, files), _embedded: { status: presentStatus(row) } };
}

/** A result file, or a range of it. Throws execution-not-found, result-expired, result-file-not-found. */
export async function readResultFile(
  platform: Platform,
  scope: ExecutionScope,
  id: string,
  name: string,
  request: FastifyRequest,
): Promise<Answer> {
  const file = await requireFile(platform, scope, id, name);
  const tag = etag(file.blob);
  if (isFresh(request, tag)) return notModified(tag);
  const range = requestedRange(request, file.bytes, tag);
  const { stream } = await platform.blobs.get(file.blob, range ?? undefined);
  return download(downloadOf(file), range, stream);
}

/** The headers of a result file, without its content. */
export async function describeResultFile(
  platform: Platform,
  scope: ExecutionScope,
  id: string,
  name: string,
  request: FastifyRequest,
): Promise<Answer> {
  const file = await requireFile(platform, scope, id, name);
  const tag = etag(file.blob);
  return isFresh(request, tag) ? notModified(tag) : describeDownload(downloadOf(file));
}

function downloadOf({ name, blob, bytes }: ExecutionFileRow): Download {
  return { name, tag: etag(blob), bytes, mediaType: mediaTypeOf(name), contentSecurityPolicy: RESULT_FILE_POLICY };
}

async function requireFile(
  platform: Platform,
  scope: ExecutionScope,
  id: string,
  name: string,
): Promise<ExecutionFileRow> {
  requireKept(await requireEnded(platform, scope, id));
  const file = (await filesOf(platform.database, id)).find((one) => one.name === name);
  if (!file) throw new Problem('result-file-not-found', `The execution has no result file ${JSON.stringify(name)}.`);
  return file;
}

async function requireEnded(platform: Platform, scope: ExecutionScope, id: string): Promise<ExecutionRow> {
  const row = await findExecution(platform.database, scope, id);
  if (!row) throw executionNotFound(scope, id);
  if (!isFinal(row.status))
    throw new Problem('result-not-available', `The execution is ${row.status}. The result is there once it has ended.`);
  return row;
}

/** Throws result-expired for an execution whose result, files and log were deleted because of their age. */
export function requireKept({ expired_at }: Pick<ExecutionRow, 'expired_at'>): void {
  if (expired_at === null) return;
  throw new Problem(
    'result-expired',
    `Result, result files and log were deleted on ${toTimestamp(expired_at)} UTC, because their time was up (\`ket storage show\` shows how long they are kept).`,
  );
}
