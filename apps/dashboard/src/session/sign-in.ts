import { renewToken, returnPath, signInAddress, signOutAddress } from './authorize.ts';
import { beginAtRealm, cameBack, RealmTokens, signOutOfRealm, type CameBack } from './realm.ts';
import { TokenKeeper, type TokenAnswer } from './token-keeper.ts';

/** Tokens of one browser, from the embedded provider or from a realm of Keycloak. */
export interface Tokens {
  token(refused: string | null): Promise<TokenAnswer>;
  /** Takes the code with which a realm has sent the person back. */
  redeem(code: Pick<CameBack, 'code' | 'verifier'>): Promise<TokenAnswer>;
  forget(): void;
}

/** `issuer` is that of the realm; null with the embedded provider. */
export function tokensOf(issuer: string | null, origin: string): Tokens {
  if (issuer === null) {
    const keeper = new TokenKeeper(() => renewToken(origin));
    return {
      token: (refused) => keeper.token(refused),
      // The embedded provider gives its tokens to a silent request.
      redeem: () => keeper.token(null),
      forget: () => keeper.forget(),
    };
  }
  const realm = new RealmTokens(issuer, origin);
  const keeper = new TokenKeeper(() => realm.renew());
  return {
    token: (refused) => keeper.token(refused),
    redeem: (code) => keeper.adopt(() => realm.redeem(code)),
    forget() {
      realm.forget();
      keeper.forget();
    },
  };
}

/** Addresses of sign-in and sign-out, and the way back. */
export interface SignIn {
  /** Address at which this tab signs in and comes back to a path. */
  address(returnTo: string): Promise<string>;
  /** Address at which another tab signs in. */
  addressForOtherTab(): Promise<string>;
  signOutAddress(): string;
  /** Page of registration; null where the sign-in page of the provider leads there. */
  readonly register: string | null;
  /** Path at which a sign-in that has come back goes on, and its code where this page has to redeem one. */
  cameBack(query: URLSearchParams): {
    readonly returnTo: string;
    readonly code: CameBack | null;
    readonly failed: boolean;
  };
}

export function signInOf(issuer: string | null): SignIn {
  const { origin } = location;
  if (issuer === null)
    return {
      address: (returnTo) => signInAddress(origin, returnTo),
      addressForOtherTab: () => signInAddress(origin, '/me'),
      signOutAddress: () => signOutAddress(origin),
      register: '/auth/register',
      cameBack: (query) => ({
        returnTo: returnPath(query.get('state'), origin),
        code: null,
        failed: query.get('error') !== null,
      }),
    };
  return {
    address: (returnTo) => beginAtRealm(issuer, origin, returnTo, sessionStorage),
    // The other tab has a storage of its own: its first page begins the sign-in.
    addressForOtherTab: () => Promise.resolve('/me'),
    signOutAddress: () => signOutOfRealm(issuer, origin),
    register: null,
    cameBack(query) {
      const back = cameBack(query, origin, sessionStorage);
      return { returnTo: back.returnTo, code: back.code === null ? null : back, failed: back.code === null };
    },
  };
}

/** The issuer of the realm that index.html names; null with the embedded provider. */
export function issuerOf(page: Document): string | null {
  return page.querySelector<HTMLMetaElement>('meta[name="kethub-issuer"]')?.content || null;
}
