import * as client from 'openid-client';
import type { UpstreamSettings } from '../../../foundation/config/index.ts';
import { IdentityProviderUnavailable } from '../identity-provider.ts';
import { toUpstreamPerson, type UpstreamPerson } from './claims.ts';
import { createUpstreamFetch } from './fetch.ts';

/** The secrets of a sign-in while the person is at the provider. */
export interface UpstreamRequest {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** An answer of the provider that does not prove who the person is. The message is for the log. */
export class UpstreamRefused extends Error {
  /** True if the person has cancelled the sign-in at the provider. */
  readonly cancelled: boolean;

  constructor(message: string, cancelled = false) {
    super(message);
    this.cancelled = cancelled;
  }
}

/** The client of an upstream OpenID provider: authorization code with PKCE, state and nonce. */
export class Upstream {
  readonly settings: UpstreamSettings;
  readonly #redirectUri: string;
  readonly #fetch: client.CustomFetch;
  #configuration: Promise<client.Configuration> | null = null;

  constructor(settings: UpstreamSettings, redirectUri: string, now: () => number) {
    this.settings = settings;
    this.#redirectUri = redirectUri;
    this.#fetch = createUpstreamFetch(now);
  }

  /**
   * Returns the address to which the browser goes. `again` requires the password also if the person is signed in there.
   * Throws IdentityProviderUnavailable.
   */
  async begin(again: boolean): Promise<{ readonly url: URL; readonly request: UpstreamRequest }> {
    const configuration = await this.#discovered();
    const request: UpstreamRequest = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      codeVerifier: client.randomPKCECodeVerifier(),
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri,
      scope: 'openid profile email',
      state: request.state,
      nonce: request.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(request.codeVerifier),
      code_challenge_method: 'S256',
      ...(again && { prompt: 'login' }),
    });
    return { url, request };
  }

  /**
   * The person who has come back with `query`. Checks state, issuer (RFC 9207) and nonce, and issuer, audience, times
   * and signature of the identity token. Throws UpstreamRefused or IdentityProviderUnavailable.
   */
  async redeem(query: string, { state, nonce, codeVerifier }: UpstreamRequest): Promise<UpstreamPerson> {
    const configuration = await this.#discovered();
    try {
      const tokens = await client.authorizationCodeGrant(configuration, new URL(`${this.#redirectUri}?${query}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw new UpstreamRefused('There is no identity token.');
      const { issuer, userinfo_endpoint } = configuration.serverMetadata();
      const userinfo =
        userinfo_endpoint === undefined
          ? {}
          : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      const person = toUpstreamPerson(issuer, claims, userinfo);
      if (!person) throw new UpstreamRefused('The subject is longer than 255 characters, or none.');
      return person;
    } catch (error) {
      // Keys or addresses of the provider may have changed, so the next sign-in reads them again.
      this.#configuration = null;
      throw judge(error);
    }
  }

  /** The configuration by discovery, read on first use, so that Kethub starts also while the provider is down. */
  #discovered(): Promise<client.Configuration> {
    this.#configuration ??= this.#discover().catch((error: unknown) => {
      this.#configuration = null;
      throw error instanceof IdentityProviderUnavailable ? error : new IdentityProviderUnavailable(error);
    });
    return this.#configuration;
  }

  async #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    const local = new URL(issuer).protocol === 'http:' ? [client.allowInsecureRequests] : [];
    const discovered = await client
      .discovery(new URL(issuer), clientId, undefined, client.None(), {
        [client.customFetch]: this.#fetch,
        execute: local,
      })
      .catch((error: unknown) => {
        throw outage(error) ?? new Error(`discovery at KETHUB_SIGN_IN_ISSUER=${issuer} failed: ${reasonOf(error)}`);
      });
    const metadata = discovered.serverMetadata();
    const configuration = new client.Configuration(
      metadata,
      clientId,
      undefined,
      authentication(clientSecret, metadata.token_endpoint_auth_methods_supported),
    );
    configuration[client.customFetch] = this.#fetch;
    for (const extend of [...local, client.enableNonRepudiationChecks]) extend(configuration);
    return configuration;
  }
}

/**
 * Sends the secret in the body if the provider accepts that: providers decode it differently in Basic (RFC 6749
 * §2.3.1).
 */
function authentication(
  secret: string | null,
  supported: readonly string[] = ['client_secret_basic'],
): client.ClientAuth {
  if (secret === null) return client.None();
  return supported.includes('client_secret_post') ? client.ClientSecretPost(secret) : client.ClientSecretBasic(secret);
}

function judge(error: unknown): Error {
  if (error instanceof UpstreamRefused) return error;
  const cancelled = error instanceof client.AuthorizationResponseError && error.error === 'access_denied';
  return outage(error) ?? new UpstreamRefused(reasonOf(error), cancelled);
}

/** The IdentityProviderUnavailable among the causes of an error: openid-client wraps the errors of `fetch`. */
function outage(error: unknown): IdentityProviderUnavailable | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof IdentityProviderUnavailable) return cause;
  }
  return null;
}

/** The messages of an error and its causes. Other members are left out: they contain whole responses and claims. */
function reasonOf(error: unknown): string {
  const reasons: string[] = [];
  for (let cause = error; cause instanceof Error && reasons.length < 4; cause = cause.cause) {
    reasons.push(cause.message);
    const { error: code, error_description: description } = cause as { error?: unknown; error_description?: unknown };
    reasons.push(...[code, description].filter((part) => typeof part === 'string'));
  }
  return reasons.join(': ').slice(0, 500);
}
