import { memberRoles, type Implementation, type ImplementationVisibility } from '@kethub/contract';
import { type Command, Option } from 'commander';
import { usageFailure } from '../failures.ts';
import { findUser } from '../platform/find-user.ts';
import { newOwner } from '../platform/new-owner.ts';
import { openSession, type Session } from '../platform/session.ts';
import { addCommand, outputOf, positiveInteger, type CommonOptions, type Shell } from '../shell.ts';
import { addInvitations } from './repo-invitations.ts';
import { addImports } from './repo-import.ts';
import { onImplementation, type Work } from './repo-work.ts';
import { sizeText } from '../terminal/size.ts';
import { table } from '../terminal/table.ts';

interface Settings extends CommonOptions {
  readonly name?: string;
  readonly description?: string;
  readonly visibility?: string;
  readonly defaultBranch?: string;
}

const lower = (text: string): string => text.toLowerCase();
const visibilityOption = () =>
  new Option('--visibility <who>', 'people who can clone it').choices(['private', 'public']);

/** Implementations: Git repositories on the platform. */
export function addRepo(program: Command, shell: Shell): void {
  const group = program
    .command('repo')
    .description('manage implementations: Git repositories on the platform')
    .addHelpText(
      'after',
      `
Git asks for a user name and a password: any name, and a personal access token. To give Git the
token of ket by itself:
  git config --global credential.<platform>.helper '!ket credential-helper'`,
    );
  const on = onImplementation(shell);
  addCommand(group, 'list', 'list your implementations and those shared with you').action((options: CommonOptions) =>
    list(shell, options),
  );
  addCommand(group, 'search [text]', 'list or search the public implementations, newest first')
    .option('--limit <number>', 'largest number of entries', positiveInteger, 50)
    .action((text: string | undefined, options: SearchOptions) => search(shell, text, options));
  addCommand(group, 'create <name>', 'create an empty implementation')
    .option('--description <text>', 'description of the implementation')
    .addOption(visibilityOption())
    .option('--default-branch <branch>', 'branch that a clone checks out (default: main)')
    .action((name: string, options: Settings) => create(shell, name, options));
  addImports(group, shell);
  addCommand(group, 'show <implementation>', 'show an implementation with its address').action(on(show));
  addCommand(group, 'change <implementation>', 'change the settings of an implementation')
    .option('--name <name>', 'new name; the former one goes on answering')
    .option('--description <text>', 'new description')
    .addOption(visibilityOption())
    .option('--default-branch <branch>', 'branch that a clone checks out')
    .action(on(change));
  addCommand(group, 'service <implementation>', 'make a service of a commit')
    .option('--name <name>', 'name of the service (default: that of the implementation)')
    .option('--ref <ref>', 'branch, tag or commit (default: the default branch)')
    .action(on(makeService));
  addCommand(group, 'versions <implementation>', 'list the versions of your services that were made of it').action(
    on(madeVersions),
  );
  addCommand(
    group,
    'transfer <implementation> <owner>',
    'give an implementation to an organization (a name or an id), or me',
  ).action(on(transfer));
  addCommand(group, 'members <implementation>', 'list the members of an implementation').action(on(members));
  addCommand(
    group,
    'share <implementation> <recipient>',
    'share an implementation with a user (a name or an id), or change their role',
  )
    .addOption(new Option('--role <role>', 'role of the member').choices(memberRoles.map(lower)).default('viewer'))
    .option('--organization', 'the recipient is an organization (an id)')
    .action(on(share));
  addCommand(group, 'unshare <implementation> <recipient>', 'remove a user (a name or an id) from an implementation')
    .option('--organization', 'the recipient is an organization (an id)')
    .action(on(unshare));
  addCommand(group, 'leave <implementation>', 'give up an implementation that was shared with you').action(on(leave));
  addCommand(
    group,
    'release <implementation> <address>',
    'give up a former address (as `ket repo show` names it), which others can take then',
  ).action(on(release));
  addInvitations(group, shell);
  addCommand(group, 'protect <implementation> [patterns...]', 'choose branches that pushes neither delete nor rewrite')
    .option('--no-default', 'do not protect the default branch')
    .addHelpText(
      'after',
      '\nPatterns such as "release/*" replace those before. Without any, only the default branch is protected.',
    )
    .action(on(protect));
  addCommand(group, 'delete <implementation>', 'delete an implementation with its code')
    .option('--force', 'delete it although it has commits')
    .action(on(remove));
}

async function list(shell: Shell, options: CommonOptions): Promise<void> {
  const { platform } = await openSession(shell);
  const all = await platform.listImplementations();
  const output = outputOf(shell, options);
  if (all.length === 0) output.note(`No implementations yet. ${shell.command} repo create <name> makes one.`);
  const rows = all.map((one) => [one.name, lower(one.role), lower(one.visibility), sizeText(one.bytes), one.cloneUrl]);
  output.result(all.length === 0 ? '' : table(['NAME', 'ROLE', 'VISIBILITY', 'SIZE', 'ADDRESS'], rows), all);
}

interface SearchOptions extends CommonOptions {
  readonly limit: number;
}

async function search(shell: Shell, text: string | undefined, options: SearchOptions): Promise<void> {
  const { platform } = await openSession(shell);
  const found = await platform.listPublicImplementations({
    limit: Math.min(options.limit, 1_000),
    ...(text !== undefined && { q: text }),
  });
  const output = outputOf(shell, options);
  if (found.length === 0) output.note('No public implementation fits.');
  const rows = found.map((one) => [one.name, sizeText(one.bytes), one.cloneUrl]);
  output.result(found.length === 0 ? '' : table(['NAME', 'SIZE', 'ADDRESS'], rows), found);
}

async function leave({ output, session, implementation }: Work): Promise<void> {
  await session.platform.leaveImplementation({ implementationId: implementation.id });
  output.result(`You no longer have access to "${implementation.name}".`, { implementation: implementation.id });
}

async function release({ output, session, implementation }: Work, address: string): Promise<void> {
  const { formerUrls } = await session.platform.getImplementation({ implementationId: implementation.id });
  const [, ownerId, name] = /\/([^/]+)\/([^/]+)\.git$/.exec(address) ?? [];
  if (!formerUrls.includes(address) || ownerId === undefined || name === undefined)
    throw usageFailure(
      `"${implementation.name}" has no former address ${address}. ${formerUrls.length === 0 ? 'It has none.' : `There is: ${formerUrls.join(', ')}.`}`,
      `ket repo show ${implementation.name}`,
    );
  await session.platform.releaseImplementationAddress({ implementationId: implementation.id, ownerId, name });
  output.result(`${address} is free for others now.`, { implementation: implementation.id, address });
}

async function create(shell: Shell, name: string, options: Settings): Promise<void> {
  const { platform } = await openSession(shell);
  const made = await platform.createImplementation({ json: { name, ...settingsOf(options) } });
  const output = outputOf(shell, options);
  output.note(`Push to it: git push ${made.cloneUrl} HEAD:${made.defaultBranch}`);
  output.result(made.cloneUrl, made);
}

async function show({ output, session, implementation }: Work): Promise<void> {
  const found = await session.platform.getImplementation({ implementationId: implementation.id });
  const rows = [
    ['name', found.name],
    ['id', found.id],
    ['address', found.cloneUrl],
    ...found.formerUrls.map((url) => ['former', url]),
    ['owner', `${lower(found.owner.type)} ${found.owner.id}`],
    ['your role', lower(found.role)],
    ['visible', lower(found.visibility)],
    ['branch', `${found.defaultBranch}${found.head === null ? ', empty' : ` at ${found.head.slice(0, 12)}`}`],
    ['size', sizeText(found.bytes)],
    ['protected', protectedText(found)],
    ...(await originRows(session, found)),
    ['created', `${found.createdAt} UTC`],
  ].map(([label = '', value = '']) => `${label.padEnd(9)}  ${value}`);
  output.result([...rows, ...(found.description === '' ? [] : ['', found.description])].join('\n'), found);
}

async function madeVersions({ output, session, implementation }: Work): Promise<void> {
  const made = await session.platform.listMadeVersions({ implementationId: implementation.id });
  const rows = made.map((one) => [one.serviceName, one.version, lower(one.state), one.ref, one.commit.slice(0, 12)]);
  output.result(made.length === 0 ? '' : table(['SERVICE', 'VERSION', 'STATE', 'REF', 'COMMIT'], rows), made);
}

/** Rows about the repository that it comes from, for those who may see that. */
async function originRows({ platform }: Session, { id, readOnly, role }: Implementation): Promise<string[][]> {
  if (readOnly === null || role === 'VIEWER') return [];
  const found = await platform.getImplementationImport({ implementationId: id });
  const state = found.problem ?? found.progress ?? lower(found.state);
  return [[found.mirror ? 'mirrors' : 'imports', `${found.url} (${state})`]];
}

async function protect(
  { output, session, implementation }: Work,
  patterns: string[],
  options: CommonOptions & { readonly default?: boolean },
): Promise<void> {
  const json = { protection: { defaultBranch: options.default !== false, patterns } };
  const changed = await session.platform.updateImplementation({ implementationId: implementation.id, json });
  output.result(`Protected: ${protectedText(changed)}.`, changed);
}

function protectedText({ protection, defaultBranch }: Implementation): string {
  const all = [...(protection.defaultBranch ? [defaultBranch] : []), ...protection.patterns];
  return all.length === 0 ? 'no branch' : all.join(', ');
}

async function change({ output, session, implementation }: Work, options: Settings): Promise<void> {
  const json = { ...(options.name !== undefined && { name: options.name }), ...settingsOf(options) };
  if (Object.keys(json).length === 0)
    throw usageFailure('Nothing to change was given.', `ket repo change ${implementation.name} --name <name>`);
  const changed = await session.platform.updateImplementation({ implementationId: implementation.id, json });
  output.result(changed.cloneUrl, changed);
}

function settingsOf({ description, visibility, defaultBranch }: Settings) {
  return {
    ...(description !== undefined && { description }),
    ...(visibility !== undefined && { visibility: visibility.toUpperCase() as ImplementationVisibility }),
    ...(defaultBranch !== undefined && { defaultBranch }),
  };
}

async function makeService(
  { output, session, implementation }: Work,
  { name, ref }: CommonOptions & { readonly name?: string; readonly ref?: string },
): Promise<void> {
  const json = { ...(name !== undefined && { name }), ...(ref !== undefined && { ref }) };
  const service = await session.platform.createServiceOfImplementation({ implementationId: implementation.id, json });
  output.note(`Its version ${service.versions[0]?.version ?? ''} is being built.`);
  output.result(service.id, service);
}

async function transfer({ output, session, implementation }: Work, owner: string): Promise<void> {
  const json = await newOwner(session.platform, owner);
  const changed = await session.platform.transferImplementation({ implementationId: implementation.id, json });
  output.result(changed.cloneUrl, changed);
}

async function members({ output, session, implementation }: Work): Promise<void> {
  const all = await session.platform.listImplementationMembers({ implementationId: implementation.id });
  if (all.length === 0) output.note(`The implementation "${implementation.name}" is shared with nobody.`);
  const rows = all.map((one) => [lower(one.type), one.id, lower(one.role), one.addedAt]);
  output.result(all.length === 0 ? '' : table(['TYPE', 'ID', 'ROLE', 'SINCE'], rows), all);
}

interface Recipient extends CommonOptions {
  readonly organization?: boolean;
}

async function memberPath({ session, implementation }: Work, recipient: string, { organization }: Recipient) {
  const memberId = organization ? recipient : await findUser(session, recipient);
  const memberType = organization ? ('ORGANIZATION' as const) : ('USER' as const);
  return { implementationId: implementation.id, memberType, memberId };
}

async function share(work: Work, recipient: string, options: Recipient & { readonly role: string }): Promise<void> {
  const role = memberRoles.find((one) => lower(one) === options.role) ?? 'VIEWER';
  const path = await memberPath(work, recipient, options);
  const member = await work.session.platform.putImplementationMember({ ...path, json: { role } });
  work.output.result(`${member.id} is ${lower(member.role)} of "${work.implementation.name}".`, member);
}

async function unshare(work: Work, recipient: string, options: Recipient): Promise<void> {
  const path = await memberPath(work, recipient, options);
  await work.session.platform.removeImplementationMember(path);
  work.output.result(`${path.memberId} is no member of "${work.implementation.name}" any more.`, path);
}

async function remove(
  { output, session, implementation }: Work,
  { force = false }: CommonOptions & { readonly force?: boolean },
): Promise<void> {
  const { id, name, head } = implementation;
  if (head !== null && !force)
    throw usageFailure(`The implementation "${name}" has commits.`, `ket repo delete ${name} --force`);
  await session.platform.deleteImplementation({ implementationId: id });
  output.result(`The implementation "${name}" is deleted.`, { implementation: id });
}
