import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { ANSWER_POLICY, harmlessLinks, staysOfAnswer, staysOfRequest } from './header-rules.ts';
import type { Destination } from './target.ts';

/** The facts of a call that the gateway adds as headers. */
interface CallFacts {
  /** Headers by which the provider finds the call: its id and its position in a trace. */
  readonly correlation: Readonly<Record<string, string>>;
  readonly clientAddress: string;
  /** Public address of the service version, without a slash at its end. */
  readonly endpoint: URL;
  readonly subscriptionId: string;
  readonly applicationId: string;
}

/** The headers of a forwarded request. The gateway writes the framing anew, so that it is unambiguous. */
export function requestHeaders(request: IncomingMessage, target: Destination, facts: CallFacts): OutgoingHttpHeaders {
  const { endpoint } = facts;
  const listed = connectionOptions(request.headers.connection);
  const proto = endpoint.protocol.slice(0, -1);
  return {
    host: target.host,
    ...passedOn(request.rawHeaders, (name) => staysOfRequest(name) || listed.has(name)),
    ...framing(request),
    ...(target.authorization !== null && { authorization: target.authorization }),
    via: via(request.headers.via, request.httpVersion),
    forwarded: `for=${forwardedNode(facts.clientAddress)};host="${endpoint.host}";proto=${proto}`,
    'x-forwarded-for': facts.clientAddress,
    'x-forwarded-host': endpoint.host,
    'x-forwarded-prefix': endpoint.pathname,
    'x-forwarded-proto': proto,
    ...facts.correlation,
    'x-kethub-subscription-id': facts.subscriptionId,
    'x-kethub-application-id': facts.applicationId,
  };
}

/** The headers of the answer, beside those that the gateway adds to every answer. */
export function responseHeaders(
  response: IncomingMessage,
  target: Destination,
  endpoint: URL,
  path: string,
): OutgoingHttpHeaders {
  const listed = connectionOptions(response.headers.connection);
  const headers = passedOn(response.rawHeaders, (name) => staysOfAnswer(name) || listed.has(name));
  // RFC 9112 §6.3: with both headers, the transfer coding decides where the message ends. A 204 has no length.
  const length = response.headers['content-length'];
  delete headers['content-length'];
  if (length !== undefined && response.headers['transfer-encoding'] === undefined && response.statusCode !== 204) {
    headers['content-length'] = length;
  }
  headers['via'] = via(response.headers.via, response.httpVersion);
  Object.assign(headers, ANSWER_POLICY);
  const links = harmlessLinks([response.headers.link ?? []].flat().join(', ') || undefined);
  if (links !== null && !listed.has('link')) headers['link'] = links;
  for (const name of ['location', 'content-location'] as const) {
    const resolved = publicLocation(response.headers[name], target, endpoint, path);
    if (resolved !== null) headers[name] = resolved;
  }
  return headers;
}

function passedOn(raw: readonly string[], drop: (name: string) => boolean): OutgoingHttpHeaders {
  const headers: Record<string, string | string[]> = Object.create(null);
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = (raw[index] ?? '').toLowerCase();
    if (drop(name)) continue;
    const value = raw[index + 1] ?? '';
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}

/** The headers that `Connection` lists. They belong to one connection and are not forwarded. */
function connectionOptions(header: string | undefined): ReadonlySet<string> {
  if (header === undefined) return NONE;
  return new Set(header.split(',').map((option) => option.trim().toLowerCase()));
}
const NONE: ReadonlySet<string> = new Set();

/** The framing of the forwarded body: its length when the caller gave one, chunks otherwise. */
function framing({ headers }: IncomingMessage): OutgoingHttpHeaders {
  if (headers['transfer-encoding'] !== undefined) return { 'transfer-encoding': 'chunked' };
  const length = headers['content-length'];
  return length === undefined ? {} : { 'content-length': length };
}

/** Returns whether the request has a body, maybe an empty one. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}

function via(before: string | undefined, version: string): string {
  const own = `${version} kethub`;
  return before === undefined ? own : `${before}, ${own}`;
}

/** The address in a `Forwarded` header. RFC 7239 §6: an IPv6 address has brackets and quotes. */
function forwardedNode(address: string): string {
  return address.includes(':') ? `"[${address}]"` : address;
}

/**
 * A `Location` that the caller can follow. One below the target becomes an address at the gateway, one at another host
 * is passed on. One elsewhere at the target's host is dropped: the gateway forwards nothing to it.
 */
function publicLocation(location: string | undefined, target: Destination, endpoint: URL, path: string): string | null {
  if (location === undefined) return null;
  const { basePath, origin, host, hostname } = target;
  const resolved = URL.parse(location, origin + path);
  if (!resolved || !/^https?:$/.test(resolved.protocol)) return null;
  // The scheme may differ: a service behind its own proxy may not know that it is called over TLS.
  if (resolved.host !== host) return resolved.hostname.replace(/^\[|\]$/g, '') === hostname ? null : resolved.href;
  const { pathname, search, hash } = resolved;
  if (pathname !== basePath && !pathname.startsWith(`${basePath}/`)) return null;
  return `${endpoint.href}${pathname.slice(basePath.length) || '/'}${search}${hash}`;
}
