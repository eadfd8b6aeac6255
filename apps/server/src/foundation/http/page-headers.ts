import { createHash } from 'node:crypto';

/** Element of the head of a page: its icon. Without one, browsers ask for an icon that the page forbids. */
export const PAGE_ICON = `<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Cg fill='none' stroke='%233d4edb' stroke-width='3.5' stroke-linecap='round' stroke-linejoin='round'%3E%3Cpath d='M8 5v22M17 5l8 11-8 11'/%3E%3C/g%3E%3C/svg%3E">`;

/**
 * Headers of an HTML page. They forbid scripts, frames, styles other than `style`, and forms to other origins.
 * @param style content of the page's style element.
 * @param formTargets other origins to which the answer to a form may redirect.
 */
export function pageHeaders(style: string, formTargets: readonly string[] = []): Readonly<Record<string, string>> {
  const policy = [
    `default-src 'none'`,
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    // The icon of the page stands in its address.
    `img-src data:`,
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}

/** Escapes a text for an HTML element or a quoted attribute. */
export function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
