/** Media types in which a log is served. */
export const logMedia = ['application/json', 'text/plain', 'text/event-stream'] as const;
export type LogMedia = (typeof logMedia)[number];

/** The headers of a log in each media type. */
export const logHeaders: Readonly<Record<LogMedia, Readonly<Record<string, string>>>> = {
  'text/event-stream': { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  'text/plain': { 'content-type': 'text/plain; charset=utf-8' },
  'application/json': { 'content-type': 'application/json; charset=utf-8' },
};

/** The media type that a header Accept asks for; null if it names none of them. JSON is the default. */
export function wantedLogMedia(accept: string | undefined): LogMedia | null {
  const types = (accept ?? '*/*').split(',').map((one) => one.split(';')[0]?.trim().toLowerCase() ?? '');
  for (const type of types) {
    if (type === '*/*' || type === 'application/*' || type === '') return 'application/json';
    if (type === 'text/*') return 'text/plain';
    const exact = logMedia.find((media) => media === type);
    if (exact) return exact;
  }
  return null;
}

/** The position in the log that a header Last-Event-ID names; 0 without one. */
export function resumePosition(header: string | string[] | undefined): number {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : 0;
}
