import { clientId, discover, signInScope, type IdentityProvider } from './discovery.ts';
import { KethubError } from './errors.ts';
import { requestSession } from './sign-in.ts';

interface AuthorizationRequest extends IdentityProvider {
  /** The address to which the browser returns: {platform}/callback, or http://127.0.0.1:<any port>/callback. */
  readonly redirectUri: string;
}

/** A sign-in in the browser that has begun. */
export interface Authorization {
  /** Page to open in the browser. */
  readonly url: string;
  /** Exchanges what the browser brought back for the token of the login session. Throws KethubError. */
  finish(answer: URLSearchParams): Promise<string>;
}

/** Begins a sign-in in the browser (authorization code with PKCE, RFC 7636; RFC 8252 for programs). */
export async function beginAuthorization(options: AuthorizationRequest): Promise<Authorization> {
  const endpoints = await discover(options);
  const verifier = randomText();
  const state = randomText();
  const url = new URL(endpoints.authorization);
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: options.redirectUri,
    scope: signInScope,
    state,
    code_challenge: await challengeOf(verifier),
    code_challenge_method: 'S256',
  }).toString();
  return {
    url: url.href,
    async finish(answer) {
      if (answer.get('state') !== state)
        throw refusal('invalid_state', 'The answer belongs to another sign-in. Start again.');
      const error = answer.get('error');
      if (error !== null) throw refusal(error, answer.get('error_description') ?? error);
      const code = answer.get('code');
      if (code === null) throw refusal('invalid_answer', 'The answer of the identity provider holds no code.');
      const parameters = { grant_type: 'authorization_code', code, redirect_uri: options.redirectUri };
      return requestSession(endpoints.token, { ...parameters, code_verifier: verifier }, options);
    },
  };
}

function refusal(code: string, detail: string): KethubError {
  return new KethubError({ code, status: 400, title: 'Not signed in', detail });
}

/** 32 random bytes as base64url: 43 characters, the length RFC 7636 §4.1 recommends. */
function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

async function challengeOf(verifier: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
