import type { ClientMetadata, Provider } from 'oidc-provider';
import { CLIENT_ID } from '../identity-provider.ts';

/**
 * The public client of the dashboard: authorization code with PKCE only. It has no refresh tokens; the session at the
 * provider renews its token.
 */
const DASHBOARD_CLIENT_ID = 'kethub-dashboard';
const OWN_CLIENTS: ReadonlySet<string> = new Set([CLIENT_ID, DASHBOARD_CLIENT_ID]);

/** Returns whether a client belongs to the platform, so that nobody is asked for consent. */
export function isOwnClient(id: string | undefined): id is string {
  return id !== undefined && OWN_CLIENTS.has(id);
}

const CALLBACK = '/callback';
const LOOPBACK = new Set(['localhost', '127.0.0.1']);

export function kethubClient(origin: string): ClientMetadata {
  return {
    client_id: CLIENT_ID,
    client_name: 'Kethub',
    application_type: 'web',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token', 'password'],
    response_types: ['code'],
    id_token_signed_response_alg: 'ES256',
    redirect_uris: [dashboardCallback(origin)],
    post_logout_redirect_uris: [`${origin}/`],
  };
}

export function dashboardClient(origin: string): ClientMetadata {
  return {
    ...kethubClient(origin),
    client_id: DASHBOARD_CLIENT_ID,
    client_name: 'Kethub dashboard',
    grant_types: ['authorization_code'],
  };
}

/** The redirect address of the dashboard. */
export function dashboardCallback(origin: string): string {
  return `${origin}${CALLBACK}`;
}

/**
 * Allows callbacks to any port of the loopback interface (RFC 8252 §7.3): a program on the person's machine cannot
 * know its port in advance. oidc-provider allows that only for native clients, which may not have the plain http
 * address of a dashboard inside a private network.
 */
export function allowLoopbackCallbacks(provider: Provider): void {
  // oxlint-disable-next-line typescript/unbound-method -- called with the client it belongs to
  const registered = provider.Client.prototype.redirectUriAllowed;
  provider.Client.prototype.redirectUriAllowed = function redirectUriAllowed(uri) {
    return registered.call(this, uri) || (this.clientId === CLIENT_ID && isLoopbackCallback(uri));
  };
}

/** Returns whether `uri` is `http://localhost:<any>/callback` or the same on 127.0.0.1. */
export function isLoopbackCallback(uri: string): boolean {
  const url = URL.parse(uri);
  return (
    url !== null &&
    LOOPBACK.has(url.hostname) &&
    url.href === `http://${url.host}${CALLBACK}` &&
    url.username === '' &&
    url.password === ''
  );
}

/**
 * Returns whether a browser page of this origin may call the token endpoint: the dashboard, and programs on the same
 * machine.
 */
export function isAllowedOrigin(origin: string, own: string): boolean {
  return origin === own || LOOPBACK.has(URL.parse(origin)?.hostname ?? '');
}
