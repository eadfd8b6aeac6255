import type { FastifyInstance } from 'fastify';
import type { Addresses } from '../platform.ts';
import { page, PAGE_HEADERS } from './page.ts';

/** What a person finds who opens the address of the platform in a browser. */
export function serveFrontPage(app: FastifyInstance, addresses: Addresses): void {
  const html = page(
    'Kethub',
    `<h1>|Kethub⟩</h1>
<p>This platform publishes code as services and lets applications call them over HTTP. It is running.</p>
<table>
<tr><td>Platform interface<td><code>${addresses.api}</code> · <a href="${addresses.api}/openapi.json">OpenAPI</a> · <a href="${addresses.problems}">problems</a>
<tr><td>Gateway<td><code>${addresses.gateway}</code> · <a href="${addresses.gateway}/openapi.json">OpenAPI</a>
<tr><td>Identity provider<td><code>${addresses.auth}</code> · <a href="${addresses.auth}/.well-known/openid-configuration">discovery</a>
</table>
<p>A first service of your own:</p>
<pre>npm run ket -- login ${new URL(addresses.api).origin}
npm run ket -- init my-service
npm run ket -- up my-service
npm run ket -- run my-service</pre>`,
  );
  app.get('/', { schema: { hide: true } }, (_request, reply) => reply.headers(PAGE_HEADERS).send(html));
}
