import { rm } from 'node:fs/promises';
import type { Command } from 'commander';
import { CliFailure, usageFailure } from '../failures.ts';
import { readCredentialsIn } from '../platform/credentials.ts';
import { chooseProfile, DEFAULT_PROFILE, fileOf, profileNames, profileOf } from '../platform/profiles.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { table } from '../terminal/table.ts';

/** Profiles: credentials for several platforms. */
export function addProfile(program: Command, shell: Shell): void {
  const profile = program
    .command('profile')
    .description('keep credentials for several platforms or users')
    .addHelpText(
      'after',
      `
ket login <address> --profile <name> makes a profile. The profile is the first of: --profile, KET_PROFILE, ket profile
use, and the profile ${DEFAULT_PROFILE}.`,
    );
  addCommand(profile, 'list', 'list the profiles with their platform and user').action((options: CommonOptions) =>
    list(shell, options),
  );
  addCommand(profile, 'use <name>', 'use this profile from now on').action((name: string, options: CommonOptions) =>
    use(shell, name, options),
  );
  addCommand(profile, 'delete <name>', 'delete the credentials of a profile from this machine').action(
    (name: string, options: CommonOptions) => remove(shell, name, options),
  );
}

async function list(shell: Shell, options: CommonOptions): Promise<void> {
  const used = await profileOf(shell);
  const known = await profileNames(shell.environment);
  const all = await Promise.all(
    known.map(async (name) => {
      const kept = await readCredentialsIn(fileOf(shell.environment, name));
      const { url = null, username = null, organizationId = null } = kept ?? {};
      return { name, used: name === used, url, username, organizationId };
    }),
  );
  const rows = all.map((one) => [one.used ? '*' : '', one.name, one.url ?? 'nobody is signed in', one.username ?? '']);
  outputOf(shell, options).result(table(['USED', 'PROFILE', 'PLATFORM', 'USER'], rows), all);
}

async function use(shell: Shell, name: string, options: CommonOptions): Promise<void> {
  await requireProfile(shell, name);
  await chooseProfile(shell.environment, name);
  const output = outputOf(shell, options);
  if (shell.environment['KET_PROFILE']) output.note('KET_PROFILE is set and goes before what was chosen just now.');
  if (shell.environment['KET_TOKEN']) output.note('KET_TOKEN is set and goes before every profile but --profile.');
  output.result(`From now on ket uses the profile ${name}.`, { profile: name });
}

async function remove(shell: Shell, name: string, options: CommonOptions): Promise<void> {
  await requireProfile(shell, name);
  if ((await profileOf({ ...shell, profile: undefined })) === name && name !== DEFAULT_PROFILE)
    throw usageFailure(`The profile ${name} is in use.`, `ket profile use ${DEFAULT_PROFILE}`);
  await rm(fileOf(shell.environment, name), { force: true });
  outputOf(shell, options).result(`The profile ${name} is deleted. Its access token still exists on the platform.`, {
    profile: name,
  });
}

async function requireProfile(shell: Shell, name: string): Promise<void> {
  fileOf(shell.environment, name);
  const names = await profileNames(shell.environment);
  if (names.includes(name)) return;
  throw new CliFailure('notFound', 'not-found', `There is no profile ${name}. There is: ${names.join(', ')}.`, [
    `ket login <address> --profile ${name}`,
  ]);
}
