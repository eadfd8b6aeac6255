/**
 * The headers that are not forwarded. Every other header is passed on between caller and provider.
 * Names are compared with `_` as `-`: WSGI and CGI cannot tell them apart.
 */

/** Headers of one connection, never of the message (RFC 9110 §7.6.1), beside those that `Connection` lists. */
const HOP_BY_HOP = [
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

const REQUEST: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  // Credentials and context of the platform, none of the provider's business. A browser may send the platform's
  // cookies.
  'authorization',
  'cookie',
  'cookie2',
  'x-auth-token',
  'x-organizationid',
  // Framing, which is the gateway's own.
  'content-length',
  'expect',
  'host',
  // The addresses that a request came through, which only the gateway knows.
  'cf-connecting-ip',
  'client-ip',
  'fastly-client-ip',
  'forwarded',
  'front-end-https',
  'true-client-ip',
  'via',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-host',
  'x-original-forwarded-for',
  'x-original-host',
  'x-original-proto',
  'x-proxyuser-ip',
  'x-real-ip',
  'x-remote-addr',
  'x-remote-ip',
  'x-scheme',
  'x-url-scheme',
  // The trace and the id of the call.
  'traceparent',
  'tracestate',
  'x-request-id',
  // Another path or method than the one that the gateway admitted and counted.
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-method',
  'x-original-uri',
  'x-original-url',
  'x-rewrite-url',
  'x-script-name',
]);
const REQUEST_PREFIXES = ['x-forwarded-', 'x-kethub-', 'x-envoy-'];

/**
 * Headers of answers that are dropped. All providers share the origin of the gateway, so none may decide for the
 * others, or for the proxies in front of it.
 */
const RESPONSE: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  // State that a browser keeps for the whole origin.
  'accept-ch',
  'accept-ch-lifetime',
  'alt-svc',
  'alternate-protocol',
  'clear-site-data',
  'critical-ch',
  'expect-ct',
  'expect-staple',
  'nel',
  'origin-agent-cluster',
  'origin-trial',
  'public-key-pins',
  'public-key-pins-report-only',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'set-cookie',
  'set-cookie2',
  'set-login',
  'strict-transport-security',
  'use-as-dictionary',
  // Permissions of other sites on answers of this origin, and of its documents.
  'activate-storage-access',
  'content-security-policy',
  'content-security-policy-report-only',
  'cross-origin-embedder-policy',
  'cross-origin-embedder-policy-report-only',
  'cross-origin-opener-policy',
  'cross-origin-opener-policy-report-only',
  'cross-origin-resource-policy',
  'document-policy',
  'feature-policy',
  'integrity-policy',
  'observe-browsing-topics',
  'permissions-policy',
  'referrer-policy',
  'speculation-rules',
  'supports-loading-mode',
  'timing-allow-origin',
  'x-content-type-options',
  'x-dns-prefetch-control',
  'x-frame-options',
  'x-permitted-cross-domain-policies',
  'x-ua-compatible',
  // Addresses that a browser opens by itself. The gateway writes Location anew.
  'content-location',
  'link',
  'location',
  'refresh',
  'sourcemap',
  'x-sourcemap',
  // A prompt for credentials on the page of the gateway: callers have none for the target.
  'authentication-info',
  'optional-www-authenticate',
  'www-authenticate',
  // Instructions for proxies and caches in front of the gateway, such as to send a file of their own.
  'cdn-cache-control',
  'cloudflare-cdn-cache-control',
  'edge-control',
  'surrogate-control',
  'surrogate-key',
  'x-lighttpd-send-file',
  'x-lighttpd-send-tempfile',
  'x-litespeed-location',
  'x-reproxy-url',
  'x-sendfile',
  'x-sendfile2',
  'x-sendfile-temporary',
  // The gateway's own.
  'forwarded',
  'traceparent',
  'tracestate',
  'x-request-id',
]);
const RESPONSE_PREFIXES = [
  'access-control-',
  'attribution-reporting-',
  'sec-',
  'x-accel-',
  'x-envoy-',
  'x-forwarded-',
  'x-kethub-',
  'x-litespeed-',
];

/** The policy for documents of this origin, in place of the provider's. It allows them nothing. */
export const ANSWER_POLICY = {
  'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
} as const;

/** Relations of `Link` that a browser does not act upon, unlike `preload`, `stylesheet`, `manifest` and others. */
const RELATIONS: ReadonlySet<string> = new Set(
  'about alternate collection current deprecation describedby first help item last latest-version license monitor next payment predecessor-version prev previous related result self service-desc service-doc start status successor-version sunset terms-of-service type up version-history'.split(
    ' ',
  ),
);

/** Returns whether the gateway drops this header of a request. The name is in lower case. */
export function staysOfRequest(name: string): boolean {
  return isAmong(REQUEST, REQUEST_PREFIXES, name);
}

/** Returns whether the gateway drops this header of an answer. The name is in lower case. */
export function staysOfAnswer(name: string): boolean {
  return isAmong(RESPONSE, RESPONSE_PREFIXES, name);
}

function isAmong(names: ReadonlySet<string>, prefixes: readonly string[], name: string): boolean {
  const plain = name.replaceAll('_', '-');
  return names.has(plain) || prefixes.some((prefix) => plain.startsWith(prefix));
}

/** The links of a `Link` header (RFC 8288) that a browser does not act upon; null if there are none. */
export function harmlessLinks(header: string | undefined): string | null {
  if (header === undefined) return null;
  const links = header.match(/<[^<>"]*>(?:\s*;\s*[\w!#$%&'*+.^`|~-]+(?:\s*=\s*(?:"[^"\\]*"|[^\s",;<>]+))?)*/g) ?? [];
  // A header that this expression does not match whole is dropped: two readers could see different links.
  if (links.join('').replaceAll(/\s/g, '') !== header.replaceAll(/\s/g, '').replaceAll(/,(?=<|$)/g, '')) return null;
  const kept = links.filter((link) => {
    const relations = [...link.matchAll(/;\s*([\w-]+)\*?\s*=\s*(?:"([^"]*)"|([^\s;]+))/g)]
      .filter(([, name = '']) => name.toLowerCase() === 'rel' || name.toLowerCase() === 'rev')
      .flatMap(([, , quoted, plain]) => (quoted ?? plain ?? '').toLowerCase().split(/\s+/));
    return relations.length > 0 && relations.every((relation) => RELATIONS.has(relation));
  });
  return kept.length === 0 ? null : kept.join(', ');
}
