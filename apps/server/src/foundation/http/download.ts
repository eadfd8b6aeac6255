import type { Readable } from 'node:stream';
import type { Answer } from './endpoint.ts';
import type { ByteRange } from './range.ts';

/** A browser may store the file but must revalidate it, so that a revoked right takes effect at once. */
const CACHE = 'private, no-cache';

/** A file to be downloaded and never displayed: its type is the uploader's claim, its content may be hostile. */
export interface Download {
  readonly name: string;
  readonly tag: string;
  readonly bytes: number;
  readonly mediaType: string;
  /** Restricts the file in a browser that displays it all the same. */
  readonly contentSecurityPolicy: string;
  /** Headers in addition to those of every download. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The answer 304 to an `If-None-Match` that names `tag`. */
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

/** Percent-encodes a character that RFC 8187 forbids and encodeURIComponent leaves as it is. */
function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
