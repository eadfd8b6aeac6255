import os from 'node:os';
import {
  createPlatformClient,
  findSignInEndpoint,
  KethubError,
  signInWithPassword,
  type PlatformClient,
} from '@kethub/client';
import { CliFailure, usageFailure } from '../failures.ts';
import type { Shell } from '../shell.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { Output } from '../terminal/output.ts';
import { ask, askHidden, readSecretLine } from '../terminal/prompt.ts';
import { hasBrowser, signInWithBrowser } from './browser.ts';
import type { Credentials } from './credentials.ts';
import { apiUrl } from './session.ts';

export interface SignInOptions {
  readonly username?: string;
  readonly passwordStdin?: boolean;
  readonly token?: boolean;
  readonly browser?: boolean;
}

export interface SignedIn {
  readonly credentials: Credentials;
  /** The login session, if there is one. Only with it can access tokens be managed. */
  readonly session: PlatformClient | null;
}

/** Signs in the user, in the way that the options name or the terminal allows. */
export async function signIn(shell: Shell, output: Output, url: string, options: SignInOptions): Promise<SignedIn> {
  if (options.token) return { credentials: await withToken(shell, url), session: null };
  const session = await openLoginSession(shell, output, url, options);
  const { username } = await session.getMe();
  const { id, value } = await session.createAccessToken({ json: { name: `ket on ${os.hostname()}`.slice(0, 200) } });
  if (value === null) throw new Error('The platform created an access token and did not say it');
  return { credentials: { url, accessToken: value, accessTokenId: id, username, organizationId: null }, session };
}

/** The platform interface with a login session, which can manage access tokens. */
export async function openLoginSession(
  shell: Shell,
  output: Output,
  url: string,
  options: SignInOptions,
  organizationId: string | null = null,
): Promise<PlatformClient> {
  const loginSession = await requestLoginSession(shell, output, apiUrl(url), options);
  return createPlatformClient({
    baseUrl: apiUrl(url),
    credential: { loginSession },
    ...(organizationId !== null && { organizationId }),
  });
}

async function requestLoginSession(
  shell: Shell,
  output: Output,
  baseUrl: string,
  options: SignInOptions,
): Promise<string> {
  if (options.passwordStdin) {
    if (options.username === undefined) throw usageFailure('--password-stdin needs --username.');
    const password = await readSecretLine(shell, '--password-stdin');
    const authUrl = await findSignInEndpoint({ baseUrl });
    return signInWithPassword({ authUrl, username: options.username, password });
  }
  const byBrowser = options.browser ?? (options.username === undefined && hasBrowser(shell.environment));
  if (byBrowser && (options.browser || shell.stdin.isTTY))
    return interruptible(async (signal) =>
      signInWithBrowser(shell, output, await findSignInEndpoint({ baseUrl, signal }), signal),
    );
  if (!shell.stdin.isTTY)
    throw usageFailure(
      'There is no terminal to ask for the password.',
      'ket login --username <name> --password-stdin < password.txt',
      'ket login --token < token.txt',
      'ket login --browser',
    );
  const authUrl = await findSignInEndpoint({ baseUrl });
  const username = options.username ?? (await ask(shell, 'User name: '));
  const password = await askHidden(shell, 'Password: ');
  return signInWithPassword({ authUrl, username, password });
}

async function withToken(shell: Shell, url: string): Promise<Credentials> {
  const accessToken = shell.stdin.isTTY
    ? (await askHidden(shell, 'Personal access token: ')).trim()
    : await readSecretLine(shell, '--token');
  try {
    const platform = createPlatformClient({ baseUrl: apiUrl(url), credential: { accessToken } });
    const { username } = await platform.getMe();
    return { url, accessToken, accessTokenId: null, username, organizationId: null };
  } catch (error) {
    if (error instanceof KethubError && error.status === 401)
      throw new CliFailure('signedOut', error.code, 'The platform does not know this access token.', [
        `ket login ${url}    (makes a new one)`,
      ]);
    throw error;
  }
}

/** Deletes a token that `ket login` made. A deleted one is no error. */
export async function revoke(platform: PlatformClient, accessTokenId: string): Promise<void> {
  try {
    await platform.deleteAccessToken({ id: accessTokenId });
  } catch (error) {
    if (!(error instanceof KethubError && error.status === 404)) throw error;
  }
}
