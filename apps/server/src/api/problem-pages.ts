import { problems, type ProblemCode } from '@kethub/contract';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../foundation/http/index.ts';
import { page, PAGE_HEADERS } from './page.ts';

/** Serves the pages that the `type` of problem documents points to. They say what happened and what to do. */
export function serveProblemPages(app: FastifyInstance, prefix: string): void {
  const codes = Object.keys(problems) as ProblemCode[];
  app.get(prefix, { schema: { hide: true } }, (_request, reply) => {
    const rows = codes.map((code) => `<tr><td>${problems[code].status}<td>${link(prefix, code)}`);
    return reply
      .headers(PAGE_HEADERS)
      .send(page('Problems', `<h1>Problems</h1><table>${rows.join('')}</table>${wayBack('/', 'The first page')}`));
  });
  app.get<{ Params: { code: string } }>(`${prefix}/:code`, { schema: { hide: true } }, (request, reply) => {
    const code = codes.find((one) => one === request.params.code);
    if (!code) throw new Problem('not-found', `There is no problem of this name. All of them are at ${prefix}.`);
    const { status, title, retry, about } = problems[code];
    const again = retry
      ? 'The same request can succeed later.'
      : 'The same request will fail again until it is changed.';
    const body = `<p class="quiet">Problem <code>${code}</code> · status ${status}</p><h1>${title}</h1><p>${text(about)}</p><p>${again}</p>${wayBack(prefix, 'All problems')}`;
    return reply.headers(PAGE_HEADERS).send(page(title, body));
  });
}

/** The link at the end of a page: people reach these pages from elsewhere. */
function wayBack(href: string, text: string): string {
  return `<nav aria-label="Back"><a href="${href}">${text}</a></nav>`;
}

function link(prefix: string, code: ProblemCode): string {
  return `<a href="${prefix}/${code}">${problems[code].title}</a>`;
}

/** A text of the problem catalogue as HTML; text in backticks is code. */
function text(about: string): string {
  const escaped = about.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}
