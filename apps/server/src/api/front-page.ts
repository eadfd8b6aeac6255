import { createHash, randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Addresses, Platform } from '../foundation/platform.ts';
import { escapeHtml } from '../foundation/http/index.ts';
import { CLIENT_ID, type IdentityService } from '../people/identity/index.ts';
import { page, PAGE_HEADERS } from './page.ts';

const HIDDEN = { schema: { hide: true } };
const SIGN_IN = '/sign-in';

/** What a person finds who opens the address of the platform in a browser: where to sign in, and where to register. */
export function serveFrontPage(app: FastifyInstance, platform: Platform, identity: IdentityService): void {
  const { addresses } = platform;
  // An external provider has pages of its own for its people.
  const isEmbedded = identity.issuer === addresses.auth;
  const signIn = isEmbedded ? SIGN_IN : `${identity.issuer}/account/`;
  const isOpen = isEmbedded && platform.configuration.registration !== 'closed';
  const register = isOpen ? `<a href="${addresses.auth}/register">Register</a>` : '';
  const html = page(
    'Kethub',
    `<h1>|Kethub⟩</h1>
<p>This platform publishes code as services and lets applications call them over HTTP. It is running.</p>
<nav aria-label="Account"><a href="${escapeHtml(signIn)}">Sign in</a>${register}</nav>
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
  app.get('/', HIDDEN, (_request, reply) => reply.headers(PAGE_HEADERS).send(html));
  if (!isEmbedded) return;
  app.get(SIGN_IN, HIDDEN, (_request, reply) =>
    reply.header('cache-control', 'no-store').redirect(authorizationUrl(addresses), 303),
  );
  app.get('/callback', HIDDEN, (request, reply) => reply.headers(PAGE_HEADERS).send(signedIn(request)));
}

/** A request for a session that nobody redeems: it signs the person in at this browser, and says how far their account is. */
function authorizationUrl({ api, auth }: Addresses): string {
  const challenge = createHash('sha256').update(randomBytes(32).toString('base64url')).digest('base64url');
  const query = new URLSearchParams({
    client_id: CLIENT_ID,
    response_type: 'code',
    scope: 'openid',
    redirect_uri: `${new URL(api).origin}/callback`,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  return `${auth}/authorize?${query.toString()}`;
}

function signedIn(request: FastifyRequest): string {
  const { code } = request.query as { code?: unknown };
  const [title, text] =
    typeof code === 'string'
      ? [
          'Signed in',
          'You are signed in. Publish and call services with the command line: <code>npm run ket -- login</code>.',
        ]
      : ['Not signed in', 'The sign-in was cancelled or has ended. Begin again from the first page.'];
  return page(title, `<h1>${title}</h1><p>${text}</p><nav aria-label="Back"><a href="/">The first page</a></nav>`);
}
