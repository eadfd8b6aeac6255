import { RenewalFailed, SignInNeeded, type Token } from './authorize.ts';

/** A token is renewed this many milliseconds before it ends. */
const EARLY_MS = 60_000;

export type TokenAnswer =
  | { readonly token: string }
  | { readonly refused: 'SIGN_IN_NEEDED' | 'UNREACHABLE'; readonly detail: string };

/** Keeps the access token of one browser in memory and renews it, once for all who ask at the same time. */
export class TokenKeeper {
  #token: Token | null = null;
  #renewal: Promise<TokenAnswer> | null = null;
  readonly #renew: () => Promise<Token>;

  constructor(renew: () => Promise<Token>) {
    this.#renew = renew;
  }

  /** Takes the token of a sign-in that has just ended well. */
  adopt(sign: () => Promise<Token>): Promise<TokenAnswer> {
    return this.#ask(sign);
  }

  /** A token. `refused` is one that the platform no longer takes. */
  async token(refused: string | null): Promise<TokenAnswer> {
    const { value, expiresAt } = this.#token ?? { value: null, expiresAt: 0 };
    if (value !== null && value !== refused && expiresAt - EARLY_MS > Date.now()) return { token: value };
    this.#renewal ??= this.#ask(this.#renew).finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  forget(): void {
    this.#token = null;
  }

  async #ask(get: () => Promise<Token>): Promise<TokenAnswer> {
    try {
      const token = await get();
      this.#token = token;
      return { token: token.value };
    } catch (error) {
      if (error instanceof SignInNeeded) {
        this.#token = null;
        return { refused: 'SIGN_IN_NEEDED', detail: error.message };
      }
      if (error instanceof RenewalFailed) return { refused: 'UNREACHABLE', detail: error.message };
      throw error;
    }
  }
}

/** Id of the person of an access token, which is a JSON Web Token. The platform checks it; this compares. */
export function personOf(token: string): string | null {
  try {
    const [, payload = ''] = token.split('.');
    const { sub } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))) as { sub?: unknown };
    return typeof sub === 'string' ? sub : null;
  } catch {
    return null;
  }
}
