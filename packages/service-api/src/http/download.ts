/** A browser may store the file but must revalidate it, so that a revoked right takes effect at once. */
const CACHE = 'private, no-cache';

/** The policy of result files. They come from user code: an HTML page among them may have styles, and nothing else. */
export const RESULT_FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** A file to be downloaded and never displayed: its type is the uploader's claim, its content may be hostile. */
export interface DownloadedFile {
  readonly name: string;
  readonly tag: string;
  readonly bytes: number;
  readonly mediaType: string;
  /** Restricts the file in a browser that displays it all the same. */
  readonly contentSecurityPolicy: string;
  /** Headers in addition to those of every download. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The headers of a 304 to an `If-None-Match` that names `tag`. */
export function notModifiedHeaders(tag: string): Record<string, string> {
  return { etag: tag, 'cache-control': CACHE };
}

/** The headers of a download of `length` bytes: the whole file, or a range of it. */
export function downloadHeaders(file: DownloadedFile, length: number): Record<string, string> {
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
