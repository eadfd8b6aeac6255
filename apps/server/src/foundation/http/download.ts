import type { Readable } from 'node:stream';
import type { Answer } from './endpoint.ts';
import type { ByteRange } from './range.ts';

/** It may be kept; but whoever may not read it any more must not get it from a cache. */
const CACHE = 'private, no-cache';

/** A file that is downloaded, and never shown: its type is what somebody said, its content may be hostile. */
export interface Download {
  readonly name: string;
  readonly tag: string;
  readonly bytes: number;
  readonly mediaType: string;
  /** What a browser may do with it should it show it all the same. */
  readonly contentSecurityPolicy: string;
  /** Beside those of every download. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer to `If-None-Match` that names `tag`. */
export function notModified(tag: string): Answer {
  return { status: 304, headers: { etag: tag, 'cache-control': CACHE } };
}

/** The answer without the content. */
export function describeDownload(file: Download): Answer {
  return { status: 200, headers: headersOf(file, file.bytes) };
}

/** The answer with the content, or with the range of it that `stream` holds. */
export function download(file: Download, range: ByteRange | null, stream: Readable): Answer {
  if (!range) return { ...describeDownload(file), body: stream };
  const { from, to } = range;
  const headers = { ...headersOf(file, to - from + 1), 'content-range': `bytes ${from}-${to}/${file.bytes}` };
  return { status: 206, headers, body: stream };
}

function headersOf(file: Download, length: number): Record<string, string> {
  return {
    etag: file.tag,
    'cache-control': CACHE,
    'accept-ranges': 'bytes',
    'content-type': file.mediaType,
    'content-length': String(length),
    ...file.headers,
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name).replaceAll(/['()*]/g, escaped)}`,
    // A browser must neither guess another type nor run what it finds.
    'x-content-type-options': 'nosniff',
    'content-security-policy': file.contentSecurityPolicy,
  };
}

/** RFC 8187: characters that encodeURIComponent leaves. */
function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
