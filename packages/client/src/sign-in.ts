import { attempt, readBody, readJson, type CallOptions } from './connection.ts';
import { clientId, discover, signInScope, type IdentityProvider } from './discovery.ts';
import { answerError } from './errors.ts';

interface PasswordSignIn extends IdentityProvider {
  readonly username: string;
  readonly password: string;
}

/**
 * Signs in with user name and password (OAuth 2.0 password grant, RFC 6749 §4.3) and returns the token of the login
 * session. A wrong password is a KethubError `invalid_grant`.
 */
export async function signInWithPassword(options: PasswordSignIn): Promise<string> {
  const { token } = await discover(options);
  const { username, password } = options;
  return requestSession(token, { grant_type: 'password', scope: signInScope, username, password }, options);
}

/** Asks the token endpoint for a login session and returns its access token. */
export async function requestSession(
  endpoint: string,
  parameters: Readonly<Record<string, string>>,
  { fetch: fetchIt = fetch, signal }: CallOptions & { readonly fetch?: typeof fetch },
): Promise<string> {
  const response = await attempt(fetchIt, endpoint, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ client_id: clientId, ...parameters }),
    ...(signal && { signal }),
  });
  if (!response.ok) throw await readBody(response, signal, () => answerError('POST', endpoint, response));
  return (await readJson<{ access_token: string }>(response, signal)).access_token;
}
