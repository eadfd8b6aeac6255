import { attempt, readBody, readJson, withoutSlash, type CallOptions } from './connection.ts';
import { answerError, KethubError } from './errors.ts';

/** The public client that dashboard and command line are to the identity provider. */
export const clientId = 'kethub';
/** `profile` makes the token one for the platform interface. */
export const signInScope = 'openid profile';

export interface IdentityProvider extends CallOptions {
  /** {auth_url}, for example http://localhost:8080/auth. */
  readonly authUrl: string;
  readonly fetch?: typeof fetch;
}

interface ProviderEndpoints {
  readonly authorization: string;
  readonly token: string;
}

/** Looks the endpoints up (OpenID Connect Discovery 1.0 §4). What is typed goes nowhere else than to the host that was named. */
export async function discover({
  authUrl,
  fetch: fetchIt = fetch,
  signal,
}: IdentityProvider): Promise<ProviderEndpoints> {
  const url = `${withoutSlash(authUrl)}/.well-known/openid-configuration`;
  const response = await attempt(fetchIt, url, { redirect: 'manual', ...(signal && { signal }) });
  if (!response.ok) throw await readBody(response, signal, () => answerError('GET', url, response));
  const found = await readJson<{ token_endpoint?: unknown; authorization_endpoint?: unknown }>(response, signal);
  const checked = (name: string, endpoint: unknown): string => {
    if (typeof endpoint === 'string' && isSameHost(endpoint, url)) return endpoint;
    throw new KethubError({
      code: 'unexpected-answer',
      status: response.status,
      title: 'Unexpected answer',
      detail: `${url} names the ${name} ${String(endpoint)}, which is not at the address you sign in to. Use the platform's own address.`,
    });
  };
  return {
    authorization: checked('authorization endpoint', found.authorization_endpoint),
    token: checked('token endpoint', found.token_endpoint),
  };
}

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Same origin, where the names that this machine has for itself count as one. */
function isSameHost(one: string, other: string): boolean {
  const [a, b] = [URL.parse(one), URL.parse(other)];
  if (!a || !b) return false;
  if (a.origin === b.origin) return true;
  return a.protocol === b.protocol && a.port === b.port && loopback.has(a.hostname) && loopback.has(b.hostname);
}
