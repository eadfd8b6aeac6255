import { attempt, read, readJson, withoutSlash, type CallOptions } from './connection.ts';
import { answerError, KethubError } from './errors.ts';

export interface PasswordSignIn extends CallOptions {
  /** {auth_url}, for example http://localhost:8080/auth. */
  readonly authUrl: string;
  readonly username: string;
  readonly password: string;
  readonly fetch?: typeof fetch;
}

/**
 * Signs in with user name and password (OAuth 2.0 password grant, RFC 6749 §4.3; the token endpoint comes from OpenID
 * discovery) and returns the token of the login session. A wrong password is a KethubError `invalid_grant`.
 */
export async function signInWithPassword(options: PasswordSignIn): Promise<string> {
  const fetchIt = options.fetch ?? fetch;
  const { signal } = options;
  const init: RequestInit = { redirect: 'manual', ...(signal && { signal }) };
  const discovery = `${withoutSlash(options.authUrl)}/.well-known/openid-configuration`;
  const found = await attempt(fetchIt, discovery, init);
  if (!found.ok) throw await read(found, signal, () => answerError('GET', discovery, found));
  const { token_endpoint: endpoint } = await readJson<{ token_endpoint?: unknown }>(found, signal);
  // The password goes nowhere else than to the host that was named.
  if (typeof endpoint !== 'string' || new URL(endpoint).origin !== new URL(discovery).origin)
    throw new KethubError({
      code: 'unexpected-answer',
      status: found.status,
      title: 'Unexpected answer',
      detail: `${discovery} names the token endpoint ${String(endpoint)}, which is not at the address you sign in to.`,
    });
  const response = await attempt(fetchIt, endpoint, {
    ...init,
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'password',
      client_id: 'kethub',
      scope: 'openid profile',
      username: options.username,
      password: options.password,
    }),
  });
  if (!response.ok) throw await read(response, signal, () => answerError('POST', endpoint, response));
  return (await readJson<{ access_token: string }>(response, signal)).access_token;
}
