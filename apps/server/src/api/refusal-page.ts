import { escapeHtml, type Problem } from '../foundation/http/index.ts';
import { page, PAGE_HEADERS } from './page.ts';

/** The page of a problem for browsers, at addresses that are no operation. */
export function refusalPage({ title, message }: Problem): { html: string; headers: Readonly<Record<string, string>> } {
  const html = page(
    title,
    `<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(message)}</p>
<p><a href="/">Go to the first page</a></p>`,
  );
  return { html, headers: PAGE_HEADERS };
}
