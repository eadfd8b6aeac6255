/** Descriptions of response headers, for the OpenAPI document. */
const DESCRIPTIONS = {
  ETag: 'Names this state of the resource, for If-Match and If-None-Match.',
  'Cache-Control': 'Rules for caches (RFC 9111).',
  'Content-Length': 'Bytes of the content.',
  'Content-Range': 'Range of bytes in a 206, and the size of the whole.',
  Link: 'With `limit`: `rel="next"` leads to the next page.',
  'Preference-Applied': 'The wait of `Prefer`, where it was honoured.',
  Location: 'The address of what was created.',
  'X-Request-Id': 'Names the request in the log of the platform: quote it when you report a problem.',
  'Retry-After': 'Seconds until the request would be allowed.',
  RateLimit: 'Rest of the nearest limit, as draft-ietf-httpapi-ratelimit-headers has it.',
  'RateLimit-Policy': 'The limits that apply to the request.',
  'WWW-Authenticate': 'Schemes of authentication (RFC 9110).',
} as const;

export type ResponseHeader = keyof typeof DESCRIPTIONS;

interface Header {
  readonly type: 'string';
  readonly description: string;
}

/** Descriptions of the headers of an answer with this status. `own` are those that the endpoint sends on success. */
export function responseHeaders(
  status: number,
  isLimited: boolean,
  own: readonly ResponseHeader[] = [],
): Record<string, Header> {
  const names: ResponseHeader[] = ['X-Request-Id', ...(status < 400 ? own : [])];
  if (status === 401) names.push('WWW-Authenticate');
  // A caller who is not authenticated has no limits to report.
  else if (isLimited) names.push('RateLimit', 'RateLimit-Policy');
  if (status === 429) names.push('Retry-After');
  return Object.fromEntries(names.map((name) => [name, { type: 'string', description: DESCRIPTIONS[name] }]));
}
