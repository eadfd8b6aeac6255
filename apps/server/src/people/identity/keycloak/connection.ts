import type { KeycloakSettings } from '../../../foundation/config/index.ts';
import { CircuitBreaker } from '../circuit-breaker.ts';
import { IdentityProviderUnavailable } from '../identity-provider.ts';

export interface KeycloakAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON of the body; null if it is empty. */
  readonly body: unknown;
}

interface KeycloakEndpoints {
  readonly authorization: string;
  readonly token: string;
  readonly jwks: string;
}

/** HTTP calls to Keycloak, each limited in time, behind one circuit breaker. */
export class KeycloakConnection {
  readonly settings: KeycloakSettings;
  readonly #breaker: CircuitBreaker;
  #endpoints: Promise<KeycloakEndpoints> | null = null;

  constructor(settings: KeycloakSettings, now: () => number) {
    this.settings = settings;
    this.#breaker = new CircuitBreaker(now);
  }

  /** Sends a request. Answers below 500 are returned, except 429. Throws IdentityProviderUnavailable for all others. */
  send(url: string, init: RequestInit = {}): Promise<KeycloakAnswer> {
    return this.#breaker.run(async (signal) => {
      // Redirects are errors, so that credentials go to the configured address only.
      const response = await fetch(url, { ...init, signal, redirect: 'error' });
      const text = await response.text();
      if (response.status >= 500 || response.status === 429) {
        throw new Error(`${init.method ?? 'GET'} ${url} answered ${response.status}: ${text.slice(0, 500)}`);
      }
      const isJson = response.headers.get('content-type')?.includes('json') === true && text !== '';
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : null };
    });
  }

  /** The endpoints from the discovery document (OpenID Connect Discovery 1.0 §4), which is read once. */
  endpoints(): Promise<KeycloakEndpoints> {
    this.#endpoints ??= this.#discover().catch((error: unknown) => {
      this.#endpoints = null;
      throw error;
    });
    return this.#endpoints;
  }

  async #discover(): Promise<KeycloakEndpoints> {
    const url = `${this.settings.issuer}/.well-known/openid-configuration`;
    const { status, body } = await this.send(url);
    const names = ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'];
    const [issuer, authorization, token, jwks] = names.map((name) => member(body, name));
    // §4.3 requires this check: another issuer could publish its own keys here.
    if (issuer === this.settings.issuer && isText(authorization) && isText(token) && isText(jwks))
      return { authorization, token, jwks };
    throw new IdentityProviderUnavailable(
      new Error(
        `${url} answered ${status} and names the issuer ${JSON.stringify(issuer)}. KETHUB_OIDC_ISSUER must be exactly what it names.`,
      ),
    );
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** A member of a JSON object, or undefined. */
export function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
