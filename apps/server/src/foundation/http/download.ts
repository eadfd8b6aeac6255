import type { Readable } from 'node:stream';
import { downloadHeaders, notModifiedHeaders, type ByteRange, type DownloadedFile } from '@kethub/service-api';
import type { Answer } from './endpoint.ts';

export type Download = DownloadedFile;

/** The answer 304 to an `If-None-Match` that names `tag`. */
export function notModified(tag: string): Answer {
  return { status: 304, headers: notModifiedHeaders(tag) };
}

/** The answer without the content. */
export function describeDownload(file: Download): Answer {
  return { status: 200, headers: downloadHeaders(file, file.bytes) };
}

/** The answer with the content, or with the range of it that `stream` holds. */
export function download(file: Download, range: ByteRange | null, stream: Readable): Answer {
  if (!range) return { ...describeDownload(file), body: stream };
  const { from, to } = range;
  const headers = { ...downloadHeaders(file, to - from + 1), 'content-range': `bytes ${from}-${to}/${file.bytes}` };
  return { status: 206, headers, body: stream };
}
