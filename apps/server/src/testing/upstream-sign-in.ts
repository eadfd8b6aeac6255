import * as client from 'openid-client';
import type { Platform } from '../foundation/platform.ts';
import type { TestAccounts } from './accounts.ts';
import { Browser, type Seen } from './browser.ts';

/** A sign-in that a browser has begun. */
interface BegunSignIn {
  readonly browser: Browser;
  readonly page: Seen;
  /** Exchanges the code of this callback for an access token. */
  redeem(callback: URL): Promise<string>;
}

/** Opens the sign-in page of a platform, as the dashboard would. */
export async function beginSignIn(
  { platform, token }: { readonly platform: Pick<Platform, 'addresses'>; readonly token: TestAccounts['token'] },
  browser = new Browser(),
  parameters: Record<string, string> = {},
): Promise<BegunSignIn> {
  const { auth } = platform.addresses;
  const codeVerifier = client.randomPKCECodeVerifier();
  const redirectUri = `${new URL(auth).origin}/callback`;
  const url = new URL(`${auth}/authorize`);
  url.search = new URLSearchParams({
    client_id: 'kethub',
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    ...parameters,
  }).toString();
  const redeem = async (callback: URL): Promise<string> => {
    const answer = await token({
      grant_type: 'authorization_code',
      code: callback.searchParams.get('code') ?? '',
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
    });
    const { access_token } = (await answer.json()) as { access_token?: string };
    if (access_token === undefined) throw new Error(`${callback.href} brought no token`);
    return access_token;
  };
  return { browser, page: await browser.open(url), redeem };
}

/** The target of the button "Continue" on the page that names what a person still waits for. */
export function continueButton({ html, url }: Seen): URL {
  const href = /<a class="button" href="([^"]+)">Continue<\/a>/.exec(html)?.[1];
  if (href === undefined) throw new Error(`There is no button on this page: ${html}`);
  return new URL(href.replaceAll('&amp;', '&'), url);
}

/** The target of the other provider's button on this page. */
export function upstreamButton({ html, url }: Seen): URL {
  const href = /<a class="button" href="([^"]*)">Sign in with [^<]+<\/a>/.exec(html)?.[1];
  if (href === undefined) throw new Error(`There is no button on this page: ${html}`);
  return new URL(href, url);
}
