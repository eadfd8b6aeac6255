import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { usageFailure } from '../failures.ts';
import type { Shell } from '../shell.ts';
import { configurationFolder, writePrivately } from './folders.ts';

/** A profile holds the credentials for one platform. Several platforms, or several users, have a profile each. */
export const DEFAULT_PROFILE = 'default';

type Keeper = Pick<Shell, 'environment' | 'profile'>;

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const FOLDER = 'profiles';
const CHOSEN = 'profile';

/** The name of the profile: the first of `--profile`, KET_PROFILE, and the choice of `ket profile use`. */
export async function profileOf({ environment, profile }: Keeper): Promise<string> {
  return requireName(profile ?? (environment['KET_PROFILE'] || (await chosenProfile(environment))));
}

/** The file with the credentials of the profile. */
export async function profileFile(keeper: Keeper): Promise<string> {
  return fileOf(keeper.environment, await profileOf(keeper));
}

/** The file with the credentials of the profile of this name. */
export function fileOf(environment: Keeper['environment'], name: string): string {
  const folder = configurationFolder(environment);
  return name === DEFAULT_PROFILE
    ? path.join(folder, 'credentials.json')
    : path.join(folder, FOLDER, `${requireName(name)}.json`);
}

/** Names of all profiles with credentials, and of the default profile. */
export async function profileNames(environment: Keeper['environment']): Promise<string[]> {
  const files = await unlessMissing(readdir(path.join(configurationFolder(environment), FOLDER)), []);
  const names = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
  return [DEFAULT_PROFILE, ...names.filter((name) => NAME.test(name) && name !== DEFAULT_PROFILE).toSorted()];
}

/** Makes a profile the one that is used without `--profile` and KET_PROFILE. */
export async function chooseProfile(environment: Keeper['environment'], name: string): Promise<void> {
  await writePrivately(path.join(configurationFolder(environment), CHOSEN), `${requireName(name)}\n`);
}

async function chosenProfile(environment: Keeper['environment']): Promise<string> {
  const file = path.join(configurationFolder(environment), CHOSEN);
  return (await unlessMissing(readFile(file, 'utf8'), '')).trim() || DEFAULT_PROFILE;
}

function requireName(name: string): string {
  if (NAME.test(name)) return name;
  throw usageFailure(
    `"${name}" is no name of a profile. It takes letters, digits, dots, hyphens and underscores, at most 64.`,
    'ket profile list',
  );
}

async function unlessMissing<T>(reading: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return otherwise;
    throw error;
  }
}
