/** Policy of a file of somebody else: a browser that opens it runs and loads nothing. */
export const INERT = "default-src 'none'; sandbox";

/** Media types that a browser shows without running anything. Every other file is plain text or bytes. */
const IMAGES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};
/** Bytes at the beginning of a file that distinguish text from other content. */
const SAMPLE = 8_000;

/** The media type of a file that is shown to people. `content` is null for a file that is too large to look into. */
export function shownMediaType(name: string, content: Buffer | null): string {
  const image = IMAGES[/\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''];
  if (image !== undefined) return image;
  const isText = content !== null && !content.subarray(0, SAMPLE).includes(0);
  return isText ? 'text/plain; charset=utf-8' : 'application/octet-stream';
}
