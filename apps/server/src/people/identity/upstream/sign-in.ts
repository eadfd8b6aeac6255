import type { UpstreamSettings } from '../../../foundation/config/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { IdentityProviderUnavailable } from '../identity-provider.ts';
import { enter, link, type UpstreamOutcome } from './account.ts';
import { UpstreamRecords } from './records.ts';
import { Upstream, UpstreamRefused } from './upstream.ts';

/** Redirect address for the provider, below {auth_url}. */
export const UPSTREAM_CALLBACK = '/sign-in/callback';

export type UpstreamFailure =
  /** The answer belongs to no request of this sign-in, or was used before. */
  | { readonly kind: 'EXPIRED' }
  | { readonly kind: 'CANCELLED' }
  | { readonly kind: 'REFUSED' }
  | { readonly kind: 'UNAVAILABLE' };

/** Sign-in at an upstream OpenID provider, as a part of the sign-in `uid` at the embedded one. */
export class UpstreamSignIn {
  readonly #platform: Platform;
  readonly #upstream: Upstream;
  readonly #records: UpstreamRecords;

  constructor(platform: Platform, settings: UpstreamSettings) {
    this.#platform = platform;
    this.#upstream = new Upstream(settings, platform.addresses.auth + UPSTREAM_CALLBACK, platform.now);
    this.#records = new UpstreamRecords(platform);
  }

  get name(): string {
    return this.#upstream.settings.name;
  }

  /**
   * Returns the address to which the browser goes. `again` requires the password also if the person is signed in
   * there.
   */
  async begin(uid: string, again: boolean): Promise<URL | UpstreamFailure> {
    try {
      const { url, request } = await this.#upstream.begin(again);
      await this.#records.keepRequest(uid, request);
      return url;
    } catch (error) {
      return this.#failure(error);
    }
  }

  /** The sign-in to which an answer with this state belongs, or null. */
  uidOf(state: string): Promise<string | null> {
    return this.#records.uidOf(state);
  }

  /** Signs in the person who has come back with `query`. The caller has checked that this browser has begun `uid`. */
  async complete(uid: string, query: string): Promise<UpstreamOutcome | UpstreamFailure> {
    const state = new URLSearchParams(query).get('state') ?? '';
    const request = await this.#records.takeRequest(uid, state);
    if (!request) return { kind: 'EXPIRED' };
    try {
      const person = await this.#upstream.redeem(query, request);
      const outcome = await enter(this.#platform, person);
      const { issuer, subject } = person;
      if (outcome.kind === 'KNOWN_EMAIL')
        await this.#records.keepLink(uid, { issuer, subject, holder: outcome.holder });
      return outcome;
    } catch (error) {
      return this.#failure(error);
    }
  }

  /**
   * To be called when `subject` has given the right password in this sign-in. Links the pending subject of the
   * provider, if it has the address of this account: both are the same person.
   */
  async passwordGiven(uid: string, subject: string): Promise<void> {
    const pending = await this.#records.findLink(uid);
    if (!pending) return;
    if (pending.holder === subject) await link(this.#platform, pending, subject);
    await this.#records.dropLink(uid);
  }

  #failure(error: unknown): UpstreamFailure {
    const { log } = this.#platform;
    if (error instanceof IdentityProviderUnavailable) {
      log.warn({ reason: reasonOf(error) }, 'the provider at KETHUB_SIGN_IN_ISSUER does not answer');
      return { kind: 'UNAVAILABLE' };
    }
    if (!(error instanceof UpstreamRefused)) throw error;
    if (error.cancelled) return { kind: 'CANCELLED' };
    log.warn({ reason: error.message }, 'a sign-in at KETHUB_SIGN_IN_ISSUER was refused');
    return { kind: 'REFUSED' };
  }
}

function reasonOf({ cause }: Error): string {
  return cause instanceof Error ? cause.message : String(cause);
}
