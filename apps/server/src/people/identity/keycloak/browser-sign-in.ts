import { createHash, randomBytes } from 'node:crypto';
import { sameDigest } from '../../../foundation/storage/index.ts';
import { CLIENT_ID, type BrowserSignIn, type Identity } from '../identity-provider.ts';
import { member, type KeycloakConnection } from './connection.ts';

/**
 * Authorization code flow with PKCE (RFC 7636) and state, as the public client. Both secrets are in the browser's
 * cookie, so the server has no state of a sign-in. The access token is used once, to identify the person.
 */
export function createBrowserSignIn(
  connection: KeycloakConnection,
  redirectUri: string,
  personOf: (accessToken: string) => Promise<Identity | null>,
): BrowserSignIn {
  return {
    async begin() {
      const [state, verifier] = [secret(), secret()];
      const url = new URL((await connection.endpoints()).authorization);
      const query = {
        client_id: CLIENT_ID,
        response_type: 'code',
        scope: 'openid profile',
        redirect_uri: redirectUri,
        state,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      return { url, cookie: `${state}.${verifier}` };
    },
    async complete(query, cookie) {
      const [state = '', verifier = ''] = cookie.split('.');
      const code = query.get('code');
      // Another browser's answer must not sign in this one (login CSRF).
      if (code === null || state === '' || !sameDigest(state, query.get('state') ?? '')) return null;
      const { token } = await connection.endpoints();
      const { status, body } = await connection.send(token, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          client_id: CLIENT_ID,
          code,
          redirect_uri: redirectUri,
          code_verifier: verifier,
        }),
      });
      const accessToken = member(body, 'access_token');
      return status === 200 && typeof accessToken === 'string' ? personOf(accessToken) : null;
    },
  };
}

function secret(): string {
  return randomBytes(32).toString('base64url');
}
