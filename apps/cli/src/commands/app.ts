import path from 'node:path';
import type { AccessKey, Application } from '@kethub/contract';
import { InvalidArgumentError, type Command } from 'commander';
import { writeEnvironmentFile } from '../environment-file.ts';
import { CliFailure } from '../failures.ts';
import { newOwner } from '../platform/new-owner.ts';
import { selectApplication } from '../platform/select-application.ts';
import { openSession, type Session } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import type { Output } from '../terminal/output.ts';
import { table } from '../terminal/table.ts';
import { addAppSubscriptions } from './app-subscriptions.ts';

interface KeyOptions extends CommonOptions {
  readonly env?: string | true;
}

/** Seconds of a unit in which --overlap is given. */
const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const ENVIRONMENT_FILE = '.env';

/** Applications: they call services at the gateway with their access keys. */
export function addApp(program: Command, shell: Shell): void {
  const app = program
    .command('app')
    .description('manage applications, their access keys and their subscriptions')
    .addHelpText('after', '\nAn application is named by its name or its id.');
  const envOption = 'write the newest access key into this file of mode 0600 (default: .env), and do not print it';
  addCommand(app, 'list', 'list your applications').action((options: CommonOptions) => list(shell, options));
  addCommand(app, 'create <name>', 'create an application with its first access key')
    .option('--env [file]', envOption)
    .action((name: string, options: KeyOptions) => create(shell, name, options));
  addCommand(app, 'rename <application> <name>', 'rename an application').action(
    (wanted: string, name: string, options: CommonOptions) => rename(shell, wanted, name, options),
  );
  addCommand(app, 'delete <application>', 'delete an application with its access keys and subscriptions')
    .option('--force', 'delete it although it has subscriptions')
    .action((wanted: string, options: CommonOptions & { force?: boolean }) => remove(shell, wanted, options));
  addCommand(app, 'transfer <application> <owner>', 'give an application to an organization (a name or an id), or me')
    .addHelpText(
      'after',
      '\nIts access keys go on working. Subscriptions to services that only its former owner may use end.',
    )
    .action((wanted: string, owner: string, options: CommonOptions) => transfer(shell, wanted, owner, options));
  addCommand(app, 'keys <application>', 'list the access keys of an application, without their secrets')
    .option('--env [file]', envOption)
    .addHelpText(
      'after',
      `
The variables in the file are TOKEN_ENDPOINT, ACCESS_KEY_ID and SECRET_ACCESS_KEY. Other lines of
the file stay.`,
    )
    .action((wanted: string, options: KeyOptions) => keys(shell, wanted, options));
  addCommand(app, 'rotate <application>', 'make a new access key; the ones before end after the overlap')
    .option('--overlap <time>', 'time for which the keys before still work, such as 90m, 12h or 7d', seconds, 86_400)
    .option('--env [file]', envOption)
    .addHelpText('after', '\nThe default overlap is 1d, and the longest 30d.')
    .action((wanted: string, options: KeyOptions & { overlap: number }) =>
      rotate(shell, wanted, options.overlap, options),
    );
  addCommand(app, 'revoke <application>', 'make a new access key; all keys before end at once')
    .option('--env [file]', envOption)
    .action((wanted: string, options: KeyOptions) => rotate(shell, wanted, 0, options));
  addAppSubscriptions(app, shell);
}

async function list(shell: Shell, options: CommonOptions): Promise<void> {
  const { platform } = await openSession(shell);
  const all = await platform.listApplications();
  const output = outputOf(shell, options);
  if (all.length === 0) output.note(`No applications yet. ${shell.command} app create <name> makes one.`);
  const rows = all.map((one) => [one.id, one.name, String(one.accessKeys.length), one.createdAt]);
  output.result(all.length === 0 ? '' : table(['APPLICATION', 'NAME', 'KEYS', 'CREATED (UTC)'], rows), all);
}

async function create(shell: Shell, name: string, options: KeyOptions): Promise<void> {
  const session = await openSession(shell);
  const made = await session.platform.createApplication({ json: { name } });
  await show(shell, session, made, options, made.accessKeys[0]);
}

async function rename(shell: Shell, wanted: string, name: string, options: CommonOptions): Promise<void> {
  const { platform } = await openSession(shell);
  const { id } = await selectApplication(platform, wanted);
  const changed = await platform.renameApplication({ applicationId: id, json: { name } });
  outputOf(shell, options).result(`${changed.id} is named ${changed.name}.`, masked(changed));
}

async function remove(
  shell: Shell,
  wanted: string,
  { force, ...options }: CommonOptions & { force?: boolean },
): Promise<void> {
  const { platform } = await openSession(shell);
  const { id, name } = await selectApplication(platform, wanted);
  const subscriptions = await platform.listSubscriptions({ applicationId: id });
  if (subscriptions.length > 0 && force !== true)
    throw new CliFailure(
      'usage',
      'has-subscriptions',
      `The application "${name}" calls ${subscriptions.map((one) => `${one.serviceName}@${one.version}`).join(', ')}.`,
      [`ket app delete ${id} --force`],
    );
  await platform.deleteApplication({ applicationId: id });
  outputOf(shell, options).result(`The application "${name}" is deleted. Its access keys no longer work.`, {
    id,
    name,
  });
}

async function transfer(shell: Shell, wanted: string, owner: string, options: CommonOptions): Promise<void> {
  const { platform } = await openSession(shell);
  const { id } = await selectApplication(platform, wanted);
  const changed = await platform.transferApplication({ applicationId: id, json: await newOwner(platform, owner) });
  outputOf(shell, options).result(`${changed.name} belongs to ${changed.owner.id}.`, masked(changed));
}

async function keys(shell: Shell, wanted: string, options: KeyOptions): Promise<void> {
  const session = await openSession(shell);
  await show(shell, session, await selectApplication(session.platform, wanted), options);
}

async function rotate(shell: Shell, wanted: string, overlapSeconds: number, options: KeyOptions): Promise<void> {
  const session = await openSession(shell);
  const { id } = await selectApplication(session.platform, wanted);
  const made = await session.platform.rotateAccessKey({ applicationId: id, json: { overlapSeconds } });
  await show(shell, session, await session.platform.getApplication({ applicationId: id }), options, made);
}

/** Shows the access keys, and writes the newest into the file that --env names. `made` is one with its secret. */
async function show(
  shell: Shell,
  session: Session,
  application: Application,
  { env, ...options }: KeyOptions,
  made?: AccessKey,
): Promise<void> {
  const output = outputOf(shell, options);
  const file = env === undefined ? null : path.resolve(shell.folder, env === true ? ENVIRONMENT_FILE : env);
  if (file !== null) await writeKey(session, application, output, file, made);
  const rows = application.accessKeys.map((one) => [one.accessKeyId, one.createdAt, one.expiresAt ?? 'no end']);
  const header = ['ACCESS KEY', 'CREATED (UTC)', 'WORKS UNTIL (UTC)'];
  const secret = made !== undefined && file === null ? made.secretAccessKey : null;
  const text = rows.length === 0 ? '' : table(header, rows);
  output.result(secret === null ? text : `${text}\n\nSecret of the newest key, shown only now: ${secret}`, {
    ...masked(application),
    ...(made !== undefined && file === null && { accessKey: made }),
    ...(file !== null && { file }),
  });
}

async function writeKey(
  { platform }: Session,
  application: Application,
  output: Output,
  file: string,
  made: AccessKey | undefined,
): Promise<void> {
  const key = made ?? application.accessKeys.find(({ expiresAt }) => expiresAt === null);
  if (!key)
    throw new CliFailure('notFound', 'no-access-key', `The application "${application.name}" has no access key.`, [
      `ket app rotate ${application.id}`,
    ]);
  const secret =
    made?.secretAccessKey ??
    (await platform.revealSecretAccessKey({ applicationId: application.id, keyId: key.id })).secretAccessKey;
  await writeEnvironmentFile(file, {
    TOKEN_ENDPOINT: application.tokenEndpoint,
    ACCESS_KEY_ID: key.accessKeyId,
    SECRET_ACCESS_KEY: secret,
  });
  output.note(`Wrote the access key ${key.accessKeyId} into ${file}, which only you may read.`);
}

/** The application without secrets. The answer that creates one has the secret of its first key. */
function masked(application: Application): Application {
  const hidden = application.accessKeys.map((key) => ({ ...key, secretAccessKey: '***' }));
  return { ...application, accessKeys: hidden };
}

function seconds(text: string): number {
  const [, number, unit = 's'] = /^(\d{1,7})([smhd]?)$/.exec(text) ?? [];
  const value = Number(number) * (unitSeconds[unit || 's'] ?? 1);
  if (number !== undefined && value <= 30 * 86_400) return value;
  throw new InvalidArgumentError('It must be a time of at most 30 days, such as 90m, 12h or 7d.');
}
