import { escapeHtml, type Problem } from '../foundation/http/index.ts';
import { page, PAGE_HEADERS } from './page.ts';

/** What a browser shows of a problem at an address that is no operation, such as one at which there is nothing. */
export function refusalPage({ title, message }: Problem): { html: string; headers: Readonly<Record<string, string>> } {
  const html = page(
    title,
    `<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(message)}</p>
<p><a href="/">Go to the first page</a></p>`,
  );
  return { html, headers: PAGE_HEADERS };
}
