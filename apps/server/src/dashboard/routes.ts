import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dashboard } from './dashboard.ts';
import { NONCE, type DashboardFiles } from './files.ts';

const HIDDEN = { schema: { hide: true } };
/** Addresses of the dashboard's screens. The first page and the callback of a sign-in are shared with the plain pages. */
const SCREENS = ['/me', '/me/*', '/org/*', '/waiting', '/implementations', '/implementations/*'];
const YEAR_SECONDS = 31_536_000;

/** Answers a request in place of the dashboard while that is not ready. */
type Fallback = (request: FastifyRequest, reply: FastifyReply) => unknown;

/** Serves the screens and assets of the dashboard. `plain` answers until the dashboard is ready. */
export function serveDashboard(app: FastifyInstance, dashboard: Dashboard, plain: Fallback): void {
  for (const address of SCREENS) app.get(address, HIDDEN, orDashboard(dashboard, plain));
  app.get('/assets/*', HIDDEN, (request, reply) => {
    const [name = ''] = request.url.split('?');
    const asset = dashboard.files?.assets.get(name);
    if (!asset) return reply.callNotFound();
    const { file, compressed, media } = asset;
    const isCompressed = compressed !== null && /\bbr\b/.test(String(request.headers['accept-encoding']));
    return reply
      .headers({
        'content-type': media,
        'cache-control': `public, max-age=${YEAR_SECONDS}, immutable`,
        'x-content-type-options': 'nosniff',
        vary: 'accept-encoding',
        ...(isCompressed && { 'content-encoding': 'br' }),
      })
      .send(createReadStream(isCompressed ? compressed : file));
  });
}

/** A handler that sends the page of the dashboard, or what `plain` answers while there is none. */
export function orDashboard(dashboard: Dashboard | null, plain: Fallback): Fallback {
  return (request, reply) => (dashboard?.files ? sendPage(reply, dashboard.files) : plain(request, reply));
}

function sendPage(reply: FastifyReply, { page, scriptHashes, signInOrigin }: DashboardFiles): unknown {
  const nonce = randomBytes(16).toString('base64');
  const policy = [
    `default-src 'none'`,
    `script-src 'self' ${scriptHashes.join(' ')}`,
    `style-src 'self' 'nonce-${nonce}'`,
    // Pictures of results are shown from memory; no script of an SVG runs there.
    `img-src 'self' blob: data:`,
    `font-src 'self'`,
    // A realm of Keycloak gives and renews tokens.
    `connect-src 'self'${signInOrigin === null ? '' : ` ${signInOrigin}`}`,
    `worker-src 'self'`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors 'none'`,
  ];
  return reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      // The nonce is for one answer only.
      'cache-control': 'no-store',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
    .send(page.replaceAll(NONCE, nonce));
}
