import { readFile, rm } from 'node:fs/promises';
import { usageFailure } from '../failures.ts';
import type { Shell } from '../shell.ts';
import { writePrivately } from './folders.ts';
import { profileFile } from './profiles.ts';

/** The credentials that `ket login` stores. */
export interface Credentials {
  /** Address of the platform, without a slash at the end. */
  readonly url: string;
  readonly accessToken: string;
  /** Null when the token was made elsewhere and given to `ket login`. */
  readonly accessTokenId: string | null;
  readonly username: string;
  /** The organization chosen with `ket org use`; null for the user. */
  readonly organizationId: string | null;
}

/** The parts of a shell that decide whose credentials are meant. */
type Keeper = Pick<Shell, 'environment' | 'profile'>;

/** The stored credentials of the profile, or null when nobody is signed in. */
export async function readCredentials(keeper: Keeper): Promise<Credentials | null> {
  return readCredentialsIn(await profileFile(keeper));
}

/** The credentials in this file, or null when it does not exist. */
export async function readCredentialsIn(file: string): Promise<Credentials | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  const credentials = parse(text);
  if (!credentials) throw usageFailure(`${file} is damaged. Sign in again.`, 'ket login');
  return credentials;
}

function parse(text: string): Credentials | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { url, accessToken, accessTokenId, username, organizationId } = value as Partial<
    Record<keyof Credentials, unknown>
  >;
  if (typeof url !== 'string' || typeof accessToken !== 'string') return null;
  return {
    url,
    accessToken,
    accessTokenId: typeof accessTokenId === 'string' ? accessTokenId : null,
    username: typeof username === 'string' ? username : '',
    organizationId: typeof organizationId === 'string' ? organizationId : null,
  };
}

export async function storeCredentials(keeper: Keeper, credentials: Credentials): Promise<void> {
  await writePrivately(await profileFile(keeper), `${JSON.stringify(credentials, null, 2)}\n`);
}

export async function forgetCredentials(keeper: Keeper): Promise<void> {
  await rm(await profileFile(keeper), { force: true });
}
