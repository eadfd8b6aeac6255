import {
  randomText,
  reach,
  RenewalFailed,
  returnPath,
  SignInNeeded,
  challengeOf,
  CALLBACK,
  type Token,
} from './authorize.ts';

/** The public client of the realm, which the command line uses as well. */
const CLIENT_ID = 'kethub';
const SCOPE = 'openid profile';
/** Name in the storage of this tab of a sign-in that is under way. It holds no token. */
const BEGUN = 'kethub-sign-in';

/** A sign-in that has left for the realm. The verifier redeems one code, and is forgotten when the person comes back. */
interface Begun {
  readonly state: string;
  readonly verifier: string;
  readonly returnTo: string;
}

/** The answer of a realm to a sign-in, as far as its tokens are needed. */
interface Granted {
  readonly access_token: string;
  readonly expires_in: number;
  readonly refresh_token?: string;
}

/** Code of a sign-in that has come back to this tab, and the path it began at. */
export interface CameBack {
  readonly code: string;
  readonly verifier: string;
  readonly returnTo: string;
}

/** Tokens of one browser from a realm of Keycloak, in memory only. A redirect of the whole page brings the first. */
export class RealmTokens {
  readonly #issuer: string;
  readonly #origin: string;
  readonly #fetch: typeof fetch;
  #refreshToken: string | null = null;

  constructor(issuer: string, origin: string, fetchIt: typeof fetch = (input, init) => fetch(input, init)) {
    this.#issuer = issuer;
    this.#origin = origin;
    this.#fetch = fetchIt;
  }

  /** Throws SignInNeeded where the realm has ended the session, or none has begun in this browser. */
  renew(): Promise<Token> {
    if (this.#refreshToken === null) return Promise.reject(new SignInNeeded('no session'));
    return this.#ask({ grant_type: 'refresh_token', refresh_token: this.#refreshToken });
  }

  /** Throws SignInNeeded for a code that the realm does not know any more. */
  redeem({ code, verifier }: Pick<CameBack, 'code' | 'verifier'>): Promise<Token> {
    const redirect_uri = this.#origin + CALLBACK;
    return this.#ask({ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri });
  }

  forget(): void {
    this.#refreshToken = null;
  }

  async #ask(form: Readonly<Record<string, string>>): Promise<Token> {
    const asked = Date.now();
    const body = new URLSearchParams({ ...form, client_id: CLIENT_ID });
    const response = await reach(() =>
      this.#fetch(`${this.#issuer}/protocol/openid-connect/token`, { method: 'POST', body, cache: 'no-store' }),
    );
    if (response.status === 400 || response.status === 401) {
      this.#refreshToken = null;
      throw new SignInNeeded(`status ${response.status}`);
    }
    if (!response.ok) throw new RenewalFailed(`status ${response.status}`);
    const granted = (await response.json()) as Granted;
    this.#refreshToken = granted.refresh_token ?? null;
    return { value: granted.access_token, expiresAt: asked + granted.expires_in * 1000 };
  }
}

/** Address of the realm's sign-in page. Remembers in `storage` what the way back needs. */
export async function beginAtRealm(
  issuer: string,
  origin: string,
  returnTo: string,
  storage: Pick<Storage, 'setItem'>,
): Promise<string> {
  const begun: Begun = { state: randomText(), verifier: randomText(), returnTo };
  storage.setItem(BEGUN, JSON.stringify(begun));
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: CLIENT_ID,
    redirect_uri: origin + CALLBACK,
    scope: SCOPE,
    state: begun.state,
    code_challenge: await challengeOf(begun.verifier),
    code_challenge_method: 'S256',
  });
  return `${issuer}/protocol/openid-connect/auth?${query.toString()}`;
}

/**
 * Reads the address to which the realm has sent the browser back. null where this tab began no such sign-in, or it was
 * cancelled: the code of somebody else must not sign this browser in. A sign-in comes back once.
 */
export function cameBack(
  query: URLSearchParams,
  origin: string,
  storage: Pick<Storage, 'getItem' | 'removeItem'>,
): CameBack | { readonly code: null; readonly returnTo: string } {
  const begun = readBegun(storage.getItem(BEGUN));
  storage.removeItem(BEGUN);
  const returnTo = returnPath(begun?.returnTo ?? null, origin);
  const code = query.get('code');
  if (begun === null || code === null || query.get('state') !== begun.state) return { code: null, returnTo };
  return { code, verifier: begun.verifier, returnTo };
}

/** Address that ends the session at the realm, after a question. */
export function signOutOfRealm(issuer: string, origin: string): string {
  const query = new URLSearchParams({ client_id: CLIENT_ID, post_logout_redirect_uri: `${origin}/` });
  return `${issuer}/protocol/openid-connect/logout?${query.toString()}`;
}

function readBegun(text: string | null): Begun | null {
  try {
    const { state, verifier, returnTo } = JSON.parse(text ?? 'null') as Begun;
    return typeof state === 'string' && typeof verifier === 'string' ? { state, verifier, returnTo } : null;
  } catch {
    return null;
  }
}
