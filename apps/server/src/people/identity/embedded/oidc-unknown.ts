import type { Provider } from 'oidc-provider';
import { Problem } from '../../../foundation/http/index.ts';
import { errorPage } from '../base/pages.ts';

/** Answers unknown addresses below {auth_url} with 404: a page for a browser, a problem for a program. */
export function answerUnknown(provider: Provider, problemsUrl: string): void {
  // The provider sees addresses below that of the issuer.
  const prefix = new URL(provider.issuer).pathname.replace(/\/$/, '');
  provider.use(async (ctx, next) => {
    await next();
    // An empty 404 means that no route of the provider matched; its own errors have a body.
    if (ctx.status !== 404 || ctx.body) return;
    const pathname = prefix + ctx.path;
    if (ctx.accepts('json', 'html') === 'html') {
      const { html, headers } = errorPage(`There is nothing at ${pathname}.`);
      ctx.set({ ...headers });
      ctx.body = html;
    } else {
      const problem = new Problem('not-found', `There is nothing at ${pathname}.`);
      ctx.body = JSON.stringify(problem.document(problemsUrl, pathname));
      ctx.type = 'application/problem+json';
    }
    // Koa sets 200 when the body is set.
    ctx.status = 404;
  });
}
