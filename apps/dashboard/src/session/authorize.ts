/** Paths of the embedded provider and of its client. The dashboard, the API and the provider share one origin. */
const CLIENT_ID = 'kethub-dashboard';
const SCOPE = 'openid profile';
const AUTHORIZE = '/auth/authorize';
const TOKEN = '/auth/token';
export const CALLBACK = '/callback';

export interface Token {
  readonly value: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** The provider has no session for this browser, so a person has to sign in. */
export class SignInNeeded extends Error {
  override readonly name = 'SignInNeeded';
}

/** The provider did not answer as expected; trying again may help. */
export class RenewalFailed extends Error {
  override readonly name = 'RenewalFailed';
}

/**
 * Gets a token by authorization code and PKCE without leaving the page. The redirect of `prompt=none` ends on this
 * origin, so the address of the answer holds the code. Throws SignInNeeded and RenewalFailed.
 */
export async function renewToken(origin: string, fetchIt: typeof fetch = fetch): Promise<Token> {
  const verifier = randomText();
  const state = randomText();
  const address = await authorizationAddress(origin, { state, verifier, prompt: 'none' });
  const answer = await reach(() => fetchIt(address, { cache: 'no-store' }));
  const query = new URL(answer.url).searchParams;
  const error = query.get('error');
  if (error === 'login_required' || error === 'interaction_required' || error === 'access_denied')
    throw new SignInNeeded(error);
  const code = query.get('code');
  if (code === null || query.get('state') !== state) throw new RenewalFailed(error ?? `status ${answer.status}`);
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: CLIENT_ID,
    redirect_uri: origin + CALLBACK,
    code,
    code_verifier: verifier,
  });
  const asked = Date.now();
  const response = await reach(() => fetchIt(origin + TOKEN, { method: 'POST', body, cache: 'no-store' }));
  if (!response.ok) throw new RenewalFailed(`status ${response.status}`);
  const { access_token: value, expires_in: seconds } = (await response.json()) as {
    access_token: string;
    expires_in: number;
  };
  return { value, expiresAt: asked + seconds * 1000 };
}

/**
 * Address of the sign-in page. It only makes the session at the provider; `renewToken` gets the token afterwards. So
 * the code of this answer is never redeemed, and nothing has to be stored for it.
 */
export function signInAddress(origin: string, returnTo: string): Promise<string> {
  return authorizationAddress(origin, { state: returnTo, verifier: randomText() });
}

/** Target of a sign-in: a path of this origin, or the first screen. */
export function returnPath(state: string | null, origin: string): string {
  const url = state === null ? null : URL.parse(state, origin);
  const isOwn = url !== null && url.origin === origin && /^\/(?:me|org)(?:\/|$)/.test(url.pathname);
  return isOwn ? url.pathname + url.search + url.hash : '/me';
}

/** Address that ends the session at the provider, after a question. */
export function signOutAddress(origin: string): string {
  const query = new URLSearchParams({ client_id: CLIENT_ID, post_logout_redirect_uri: `${origin}/` });
  return `${origin}/auth/sign-out?${query.toString()}`;
}

async function authorizationAddress(
  origin: string,
  { state, verifier, prompt }: { state: string; verifier: string; prompt?: string },
): Promise<string> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: CLIENT_ID,
    redirect_uri: origin + CALLBACK,
    scope: SCOPE,
    state,
    code_challenge: await challengeOf(verifier),
    code_challenge_method: 'S256',
    ...(prompt !== undefined && { prompt }),
  });
  return `${origin}${AUTHORIZE}?${query.toString()}`;
}

/** Throws RenewalFailed where nobody answers. */
export async function reach(call: () => Promise<Response>): Promise<Response> {
  try {
    return await call();
  } catch (error) {
    throw new RenewalFailed('no answer', { cause: error });
  }
}

/** 32 random bytes as base64url: 43 characters, the length RFC 7636 §4.1 recommends. */
export function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

/** The challenge of a verifier by the method S256 of RFC 7636. */
export async function challengeOf(verifier: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
