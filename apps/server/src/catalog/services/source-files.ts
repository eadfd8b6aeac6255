import { buffer } from 'node:stream/consumers';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { limits, type SourceFile } from '@kethub/contract';
import { fileOfArchive, filesOfArchive, type StoredArchive } from '@kethub/runtime/build';
import type { FastifyRequest } from 'fastify';
import {
  describeDownload,
  download,
  etag,
  INERT,
  isFresh,
  notModified,
  Problem,
  shownMediaType,
  type Answer,
} from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { ServiceRow } from '../../foundation/storage/index.ts';
import type { VersionRow } from './queries.ts';
import { requireSourceVersion, type VersionRef } from './versions.ts';

/** Bytes of a file that is read at once; a larger one is streamed and is not looked into. */
const AT_ONCE = 1024 * 1024;

/** Lists the files of the source of a version by their paths. A workflow has one. */
export async function listSourceFiles(platform: Platform, at: VersionRef): Promise<SourceFile[]> {
  const { service, row } = await requireSourceVersion(platform.database.read, at);
  if (service.type === 'WORKFLOW') return [{ path: nameOfWorkflow(service), bytes: row.source_bytes }];
  const files = await filesOfArchive(archiveOf(platform, row));
  if (!files) throw refused();
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Answers with one file of the source of a version. Text is plain text, whatever it is written in. */
export async function readSourceFile(
  platform: Platform,
  at: VersionRef,
  file: string,
  request: FastifyRequest,
): Promise<Answer> {
  const { service, row } = await requireSourceVersion(platform.database.read, at);
  const found =
    service.type === 'WORKFLOW'
      ? await workflowFile(platform, service, row, file)
      : await fileOfArchive(archiveOf(platform, row), file);
  if (!found) throw new Problem('not-found', `The source of version ${at.version} has no file ${file}.`);
  const tag = etag(`${row.source_digest} ${file}`);
  if (found.bytes > limits.sourceUnpackedBytes || isFresh(request, tag) || request.method === 'HEAD')
    found.content.destroy();
  if (found.bytes > limits.sourceUnpackedBytes)
    throw new Problem('too-large', `The file ${file} unpacks to more than ${limits.sourceUnpackedBytes} bytes.`);
  if (isFresh(request, tag)) return notModified(tag);
  const content = found.bytes <= AT_ONCE && request.method !== 'HEAD' ? await buffer(found.content) : null;
  const described = {
    name: path.posix.basename(file),
    tag,
    bytes: found.bytes,
    mediaType: shownMediaType(file, content),
    contentSecurityPolicy: INERT,
  };
  if (request.method === 'HEAD') return describeDownload(described);
  return content ? { ...describeDownload(described), body: content } : download(described, null, found.content);
}

async function workflowFile(
  { blobs }: Platform,
  service: ServiceRow,
  { source_blob }: VersionRow,
  file: string,
): Promise<{ readonly bytes: number; readonly content: Readable } | null> {
  if (file !== nameOfWorkflow(service)) return null;
  const { bytes, stream } = await blobs.get(source_blob);
  return { bytes, content: stream };
}

function nameOfWorkflow({ slug }: ServiceRow): string {
  return `${slug}.bpmn`;
}

function archiveOf({ blobs }: Platform, { source_blob, source_bytes }: VersionRow): StoredArchive {
  return { bytes: source_bytes, read: async (from, to) => (await blobs.get(source_blob, { from, to })).stream };
}

function refused(): Problem {
  return new Problem(
    'invalid-archive',
    'The ZIP of this version cannot be read. The log of its build says why. Download the ZIP to look into it.',
  );
}
