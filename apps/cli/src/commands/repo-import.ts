import { setTimeout as pause } from 'node:timers/promises';
import type { ImplementationImport } from '@kethub/contract';
import type { Command } from 'commander';
import { CliFailure, usageFailure } from '../failures.ts';
import { openSession, type Session } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import type { Output } from '../terminal/output.ts';
import { readSecretLine } from '../terminal/prompt.ts';
import { onImplementation, type Work } from './repo-work.ts';

interface CredentialOptions extends CommonOptions {
  readonly user?: string;
  readonly passwordStdin?: boolean;
  readonly wait?: boolean;
}

interface ImportOptions extends CredentialOptions {
  readonly mirror?: boolean;
  readonly public?: boolean;
}

/** Milliseconds between two looks at an import. */
const LOOK_MS = 1_000;

const withCredential = (command: Command): Command =>
  command
    .option('--user <name>', 'user name at the other server (default: git)')
    .option('--password-stdin', 'read the password or token for the other server from standard input')
    .option('--no-wait', 'do not wait until all has arrived');

/** Imports and mirrors of repositories of other servers. */
export function addImports(group: Command, shell: Shell): void {
  const on = onImplementation(shell);
  withCredential(addCommand(group, 'import <url> [name]', 'make an implementation of a repository on another server'))
    .option('--mirror', 'follow the other repository every hour; nobody can push')
    .option('--public', 'everybody can clone it')
    .action((url: string, name: string | undefined, options: ImportOptions) => start(shell, url, name, options));
  withCredential(
    addCommand(group, 'sync <implementation>', 'read a mirror now, or begin an import again that has failed'),
  ).action(on((work: Work, options: CredentialOptions) => sync(shell, work, options)));
  addCommand(group, 'unlink <implementation>', 'end a mirror, or break an import off; what has arrived stays').action(
    on(unlink),
  );
}

async function start(shell: Shell, url: string, name: string | undefined, options: ImportOptions): Promise<void> {
  const credential = await credentialOf(shell, options);
  const session = await openSession(shell);
  const output = outputOf(shell, options);
  const begun = await session.platform.importImplementation({
    json: {
      url,
      name: name ?? nameIn(url),
      ...(options.mirror === true && { mirror: true }),
      ...(options.public === true && { visibility: 'PUBLIC' as const }),
      ...credential,
    },
  });
  await report(session, output, begun, options);
}

async function sync(shell: Shell, { session, output, implementation }: Work, options: CredentialOptions) {
  const json = await credentialOf(shell, options);
  const begun = await session.platform.restartImplementationImport({ implementationId: implementation.id, json });
  await report(session, output, begun, options);
}

async function unlink({ session, output, implementation }: Work): Promise<void> {
  const { id: implementationId, name } = implementation;
  await session.platform.endImplementationImport({ implementationId });
  output.result(`"${name}" follows no other repository any more.`, { implementation: implementationId });
}

async function credentialOf(shell: Shell, { user, passwordStdin = false }: CredentialOptions) {
  if (user !== undefined && !passwordStdin) throw usageFailure('--user takes --password-stdin as well.');
  if (!passwordStdin) return {};
  const password = await readSecretLine(shell, '--password-stdin');
  return { credential: { ...(user !== undefined && { username: user }), password } };
}

/** The last segment of an address without `.git`, as the name of an implementation. */
function nameIn(url: string): string {
  const last =
    url
      .replace(/[/]+$/, '')
      .replace(/\.git$/i, '')
      .split('/')
      .at(-1) ?? '';
  const name = last
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replaceAll(/^[._-]+|[.]+$/g, '');
  if (name === '') throw usageFailure('The address names no repository.', 'ket repo import <url> <name>');
  return name;
}

/** Waits for the end of an import, and shows its steps. */
async function report(
  session: Session,
  output: Output,
  begun: ImplementationImport,
  { wait = true }: CredentialOptions,
): Promise<void> {
  const { implementationId } = begun;
  const now = wait ? await endOf(session, output, begun) : begun;
  if (now.state === 'FAILED')
    throw new CliFailure('failed', 'import-failed', now.problem ?? 'The import has failed.', [
      `ket repo sync ${implementationId}`,
    ]);
  const { cloneUrl } = await session.platform.getImplementation({ implementationId });
  output.result(cloneUrl, now);
}

async function endOf(session: Session, output: Output, begun: ImplementationImport): Promise<ImplementationImport> {
  let now = begun;
  let shown: string | null = null;
  while (now.state === 'PENDING' || now.state === 'RUNNING') {
    await pause(LOOK_MS);
    now = await session.platform.getImplementationImport({ implementationId: begun.implementationId });
    if (now.progress !== null && now.progress !== shown) output.note(now.progress);
    shown = now.progress;
  }
  return now;
}
