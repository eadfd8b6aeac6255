import { createHash } from 'node:crypto';

/**
 * The headers of every HTML page: no scripts, no frames, no styles but the one that stands in it, and forms to ourselves.
 * @param style the content of its style element.
 * @param formTargets origins that answering a form may redirect to, besides our own.
 */
export function pageHeaders(style: string, formTargets: readonly string[] = []): Readonly<Record<string, string>> {
  const policy = [
    `default-src 'none'`,
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}

/** A text as HTML, in an element or an attribute in quotes. */
export function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
