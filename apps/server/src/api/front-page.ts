import { createHash, randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { orDashboard, serveDashboard, type Dashboard } from '../dashboard/index.ts';
import type { Addresses, Platform } from '../foundation/platform.ts';
import { escapeHtml } from '../foundation/http/index.ts';
import { CLIENT_ID, noticeOf, type BrowserSignIn, type IdentityService } from '../people/identity/index.ts';
import { page, PAGE_HEADERS } from './page.ts';

const HIDDEN = { schema: { hide: true } };
const SIGN_IN = '/sign-in';
const CALLBACK = '/callback';
/** The first screen of the dashboard. */
const DASHBOARD = '/me';
/** The cookie of a sign-in that has begun at an external provider. */
const COOKIE = 'kethub_begun';
/** Seconds that a person has for signing in at an external provider; later the sign-in has ended. */
const COOKIE_SECONDS = 30 * 60;

/** The page looks again this often while the dashboard is built. */
const REFRESH_SECONDS = 2;
const BUILDING = `<p role="status">The dashboard is being built. This page opens it in a few seconds.</p>
`;

/**
 * Serves the dashboard at the platform's own address. While it is built, and where it is off, a plain page says where to
 * sign in and where to register.
 */
export function serveFrontPage(
  app: FastifyInstance,
  platform: Platform,
  identity: IdentityService,
  dashboard: Dashboard | null,
): void {
  const plain = (_request: FastifyRequest, reply: FastifyReply): unknown => {
    const isBuilding = dashboard?.isBuilding ?? false;
    if (isBuilding) void reply.header('refresh', String(REFRESH_SECONDS));
    return reply.headers(PAGE_HEADERS).send(frontPage(platform, identity, isBuilding ? BUILDING : ''));
  };
  app.get('/', HIDDEN, orDashboard(dashboard, plain));
  if (dashboard) serveDashboard(app, dashboard, plain);
  if (identity.browserSignIn) return serveExternalSignIn(app, platform, identity.browserSignIn, dashboard);
  app.get(SIGN_IN, HIDDEN, (_request, reply) =>
    reply.header('cache-control', 'no-store').redirect(authorizationUrl(platform.addresses), 303),
  );
  const afterSignIn = orDashboard(dashboard, (request, reply) => {
    const { code } = request.query as { code?: unknown };
    return sendPage(reply, typeof code === 'string' ? signedIn(null) : notSignedIn());
  });
  app.get(CALLBACK, HIDDEN, (request, reply) =>
    // The dashboard renews its token by a fetch that ends here. It reads nothing but the address of the answer.
    request.headers['sec-fetch-dest'] === 'empty'
      ? reply.code(204).header('cache-control', 'no-store').send()
      : afterSignIn(request, reply),
  );
}

function frontPage(
  { addresses, configuration }: Platform,
  { browserSignIn, issuer }: IdentityService,
  state: string,
): string {
  const register = `<a href="${addresses.auth}/register">Register</a>`;
  const account = `<a href="${escapeHtml(issuer)}/account/">Account</a>`;
  const ownRegister = configuration.registration === 'closed' ? '' : register;
  return page(
    'Kethub',
    `<h1>|Kethub⟩</h1>
<p>This platform publishes code as services and lets applications call them over HTTP. It is running.</p>
${state}<nav aria-label="Account"><a href="${SIGN_IN}">Sign in</a>${browserSignIn ? account : ownRegister}</nav>
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
}

/** The way to an external provider and back: to the dashboard, or to a page that says how far the account is. */
function serveExternalSignIn(
  app: FastifyInstance,
  { addresses }: Platform,
  signIn: BrowserSignIn,
  dashboard: Dashboard | null,
): void {
  const secure = new URL(addresses.api).protocol === 'https:' ? '; Secure' : '';
  const attributes = `; Path=${CALLBACK}; HttpOnly; SameSite=Lax${secure}`;
  app.get(SIGN_IN, HIDDEN, async (_request, reply) => {
    // The dashboard begins its sign-in itself, wherever a person comes in.
    if (dashboard?.files) return reply.header('cache-control', 'no-store').redirect(DASHBOARD, 303);
    const { url, cookie } = await signIn.begin();
    void reply.header('set-cookie', `${COOKIE}=${cookie}; Max-Age=${COOKIE_SECONDS}${attributes}`);
    return reply.header('cache-control', 'no-store').redirect(url.href, 303);
  });
  const orNotSignedIn = orDashboard(dashboard, (_request, reply) => sendPage(reply, notSignedIn()));
  app.get(CALLBACK, HIDDEN, async (request, reply) => {
    const query = new URLSearchParams(request.url.split(/\?(.*)/s)[1]);
    // A sign-in without this cookie has been begun by the dashboard, which redeems the code itself.
    const cookie = cookieOf(request);
    const person = cookie === '' ? null : await signIn.complete(query, cookie);
    void reply.header('set-cookie', `${COOKIE}=; Max-Age=0${attributes}`);
    return person ? sendPage(reply, signedIn(noticeOf(person))) : orNotSignedIn(request, reply);
  });
}

function cookieOf({ headers }: FastifyRequest): string {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([name]) => name === COOKIE)?.[1] ?? '';
}

/** An authorization request whose code nobody redeems: the sign-in page itself shows people how far their account is. */
function authorizationUrl({ api, auth }: Addresses): string {
  const challenge = createHash('sha256').update(randomBytes(32).toString('base64url')).digest('base64url');
  const query = new URLSearchParams({
    client_id: CLIENT_ID,
    response_type: 'code',
    scope: 'openid',
    redirect_uri: new URL(api).origin + CALLBACK,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  return `${auth}/authorize?${query.toString()}`;
}

function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply.headers({ ...PAGE_HEADERS, 'cache-control': 'no-store' }).send(html);
}

function signedIn(notice: string | null): string {
  const next = 'Publish and call services with the command line: <code>npm run ket -- login</code>.';
  return ended('Signed in', `You are signed in. ${notice === null ? next : escapeHtml(notice)}`);
}

function notSignedIn(): string {
  return ended('Not signed in', 'The sign-in was cancelled or has ended. Begin again from the first page.');
}

function ended(title: string, text: string): string {
  return page(
    title,
    `<h1>${title}</h1><p role="status">${text}</p><nav aria-label="Back"><a href="/">The first page</a></nav>`,
  );
}
