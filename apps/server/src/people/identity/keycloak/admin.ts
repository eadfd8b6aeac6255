import { IdentityProviderUnavailable } from '../identity-provider.ts';
import { member, type KeycloakAnswer, type KeycloakConnection } from './connection.ts';

/** Milliseconds before its expiry at which a token is replaced: a call takes time, and clocks differ. */
const MARGIN_MS = 10_000;

export type AskKeycloak = (method: string, path: string, body?: unknown) => Promise<KeycloakAnswer>;

/**
 * Connects to Keycloak's admin REST interface, /admin/realms/<realm>, as the service account of the configured
 * client. Calls throw IdentityProviderUnavailable also if the client lacks a role: that says nothing about the
 * requested person.
 */
export function connectKeycloakAdmin(connection: KeycloakConnection, now: () => number): AskKeycloak {
  const { issuer, adminClientId } = connection.settings;
  const root = issuer.replace(/\/realms\/([^/]+)$/, '/admin/realms/$1');
  let granted: { token: Promise<string>; until: number } | null = null;

  const accessToken = (): Promise<string> => {
    if (granted && now() < granted.until) return granted.token;
    const asked = requestToken(connection, now);
    const grant = { token: asked.then(({ token }) => token), until: Infinity };
    granted = grant;
    asked.then(
      ({ until }) => {
        grant.until = until;
      },
      // Callers get the error from `token`.
      () => {
        if (granted === grant) granted = null;
      },
    );
    return grant.token;
  };

  return async (method, path, body) => {
    const send = async (): Promise<KeycloakAnswer> =>
      connection.send(root + path, {
        method,
        headers: {
          authorization: `Bearer ${await accessToken()}`,
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    let answer = await send();
    if (answer.status === 401) {
      // The token was granted before Keycloak was restarted or changed its keys.
      granted = null;
      answer = await send();
    }
    if (answer.status !== 401 && answer.status !== 403) return answer;
    throw new IdentityProviderUnavailable(
      new Error(
        `${method} ${root}${path} answered ${answer.status}. The service account of ${adminClientId} needs the roles view-users and manage-users of realm-management.`,
      ),
    );
  };
}

/** Gets a token by the client credentials grant (RFC 6749 §4.4). */
async function requestToken(
  connection: KeycloakConnection,
  now: () => number,
): Promise<{ token: string; until: number }> {
  const { adminClientId, adminClientSecret } = connection.settings;
  const { token: url } = await connection.endpoints();
  const asked = now();
  const { status, body } = await connection.send(url, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: adminClientId,
      client_secret: adminClientSecret,
    }),
  });
  const [token, seconds] = [member(body, 'access_token'), member(body, 'expires_in')];
  if (status === 200 && typeof token === 'string' && typeof seconds === 'number') {
    return { token, until: asked + seconds * 1000 - MARGIN_MS };
  }
  throw new IdentityProviderUnavailable(
    new Error(
      `${url} answered ${status} (${JSON.stringify(member(body, 'error'))}). Check KETHUB_KEYCLOAK_ADMIN_CLIENT_ID and KETHUB_KEYCLOAK_ADMIN_CLIENT_SECRET.`,
    ),
  );
}
