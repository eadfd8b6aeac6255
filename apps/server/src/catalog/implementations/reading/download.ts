import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { limits } from '@kethub/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  closeWhenSlow,
  describeDownload,
  download,
  etag,
  INERT,
  isFresh,
  notModified,
  Problem,
  requestedRange,
  shownMediaType,
  type Answer,
  type Download,
} from '../../../foundation/http/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import type { Reader } from '../rights.ts';
import type { GitStore } from '../store.ts';
import type { RefAndPath } from './operations.ts';
import { openToRead, requireCommit } from './resolve.ts';
import { whenClosed } from '../transport/serve.ts';
import { callerName } from '../transport/slots.ts';
import { findObject } from './tree.ts';

/** Bytes of a file that is read at once; a larger one is streamed and is not looked into. */
const AT_ONCE = 1024 * 1024;

/** Reads a file, or with Range a part of it. */
export async function readFile(
  platform: Platform,
  store: GitStore,
  reader: Reader,
  id: string,
  { ref, path = '' }: RefAndPath,
  request: FastifyRequest,
): Promise<Answer> {
  const open = await openToRead(platform, store, reader, id);
  const commit = await requireCommit(platform, open, ref);
  const info = await findObject(open.objects, commit, path);
  if (info?.type !== 'blob') throw new Problem('not-found', `There is no file ${path} in ${commit}.`);
  const name = path.slice(path.lastIndexOf('/') + 1);
  const tag = etag(info.id);
  if (isFresh(request, tag)) return notModified(tag);
  const content = info.bytes <= AT_ONCE ? await open.objects.content(info.id) : null;
  const file: Download = {
    name,
    tag,
    bytes: info.bytes,
    mediaType: shownMediaType(name, content),
    contentSecurityPolicy: INERT,
  };
  if (request.method === 'HEAD') return describeDownload(file);
  const range = requestedRange(request, info.bytes, tag) ?? null;
  const { from, to } = range ?? { from: 0, to: info.bytes };
  if (content) return download(file, range, Readable.from([content.subarray(from, to + 1)]));
  const part = slice(from, to);
  pipeline(streamOf(store, open.repository, info.id), part).catch(() => part.destroy());
  return download(file, range, part);
}

function streamOf({ git }: GitStore, repository: string, id: string): Readable {
  const child = git.spawn({ repository, access: 'READ', args: ['cat-file', 'blob', id] });
  child.stdin.end();
  child.stdout.once('close', () => child.kill());
  return child.stdout;
}

/** Passes on the bytes from `from` to `to`, both included. */
function slice(from: number, to: number): Transform {
  let at = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const part = chunk.subarray(Math.max(0, from - at), Math.max(0, to + 1 - at));
      at += chunk.length;
      done(null, part);
    },
  });
}

const FORMATS = {
  zip: { media: 'application/zip', args: ['--format=zip', '-6'] },
  tar: { media: 'application/x-tar', args: ['--format=tar'] },
} as const;

export interface ArchiveQuery {
  readonly ref?: string;
  readonly format?: keyof typeof FORMATS;
}

/** Seconds by which a reader of an archive may fall behind the least speed. */
const SLOW_SECONDS = 60;
const SIZES_BYTES = 64 * 1024 * 1024;

/** Sends all files of a commit as an archive. */
export async function readArchive(
  platform: Platform,
  store: GitStore,
  reader: Reader,
  id: string,
  { ref, format = 'zip' }: ArchiveQuery,
  reply: FastifyReply,
): Promise<Answer> {
  const open = await openToRead(platform, store, reader, id);
  const commit = await requireCommit(platform, open, ref);
  whenClosed(reply, await store.readSlots.take(callerName(reader?.personId ?? null, reply.request.ip)));
  closeWhenSlow(reply.raw, platform.configuration.connections.bytesPerSecond, SLOW_SECONDS);
  await requireArchiveSize(store, open.repository, commit);
  const { media, args } = FORMATS[format];
  const child = store.git.spawn({
    repository: open.repository,
    access: 'READ',
    args: ['archive', ...args, '--end-of-options', commit],
  });
  child.stdin.end();
  whenClosed(reply, () => child.kill());
  const name = `${open.implementation.name}-${commit.slice(0, 12)}.${format}`;
  const headers = { 'content-type': media, 'content-disposition': `attachment; filename="${name}"` };
  return { status: 200, headers, body: child.stdout };
}

/** Throws too-large when the files of a commit have more bytes than an archive may unpack to. */
export async function requireArchiveSize({ git }: GitStore, repository: string, commit: string): Promise<void> {
  const args = ['ls-tree', '-r', '--format=%(objectsize)', '--end-of-options', commit];
  const sizes = (await git.output({ repository, access: 'READ', args }, '', SIZES_BYTES)).toString('utf8');
  const bytes = sizes.split('\n').reduce((sum, size) => sum + (Number(size) || 0), 0);
  if (bytes <= limits.sourceUnpackedBytes) return;
  throw new Problem(
    'too-large',
    `The files of this commit have ${bytes} bytes, and an archive at most ${limits.sourceUnpackedBytes}. Clone the repository.`,
  );
}
