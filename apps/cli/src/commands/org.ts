import { memberRoles, type MemberRole } from '@kethub/contract';
import { Option, type Command } from 'commander';
import { usageFailure } from '../failures.ts';
import { readCredentials, storeCredentials } from '../platform/credentials.ts';
import { joined } from '../platform/organizations.ts';
import { openSession, organizationOf, usesToken, type Session } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import type { Output } from '../terminal/output.ts';
import { table } from '../terminal/table.ts';

interface InviteOptions extends CommonOptions {
  readonly role: MemberRole;
}

interface Work {
  readonly session: Session;
  readonly output: Output;
}

/** Organizations: several people manage their resources together. */
export function addOrg(program: Command, shell: Shell): void {
  const org = program
    .command('org')
    .description('manage organizations and their members')
    .addHelpText('after', '\nThe organization is the first of: --in <organization>, KET_ORGANIZATION, ket org use.');
  const add = (name: string, description: string) => addCommand(org, name, description);
  const work = async (options: CommonOptions): Promise<Work> => ({
    session: await openSession(shell),
    output: outputOf(shell, options),
  });
  const here = async (): Promise<string> => {
    const id = await organizationOf(shell);
    if (id === null)
      throw usageFailure(
        'This command needs an organization, and none is chosen.',
        'ket org list',
        'ket --in <organization> org <command>',
      );
    return id;
  };
  const role = new Option('--role <role>', 'role of the member').choices(memberRoles);

  add('list', 'list the organizations that you have joined').action(async (options: CommonOptions) =>
    list(await work(options)),
  );
  add(
    'use [organization]',
    'act for this organization (a name or an id) from now on; without an argument, or with me, for yourself',
  ).action(async (wanted: string | undefined, options: CommonOptions) => use(shell, wanted, options));
  add('create <name>', 'create an organization, of which you become the owner').action(
    async (name: string, options: CommonOptions) => create(await work(options), name),
  );
  add('show', 'show the organization and your role in it').action(async (options: CommonOptions) =>
    show(await work(options), await here()),
  );
  add('rename <name>', 'rename the organization').action(async (name: string, options: CommonOptions) =>
    rename(await work(options), await here(), name),
  );
  add('delete', 'delete the organization, which must own nothing any more').action(async (options: CommonOptions) =>
    remove(shell, await work(options), await here()),
  );
  add('invite <email>', 'invite somebody by e-mail address')
    .addOption(role.default('VIEWER'))
    .action(async (email: string, options: InviteOptions) =>
      invite(await work(options), await here(), email, options.role),
    );
  add('members', 'list the members').action(async (options: CommonOptions) =>
    members(await work(options), await here()),
  );
  add('role <user> <role>', 'change the role of a member (an id): VIEWER, MAINTAINER or OWNER').action(
    async (user: string, wanted: string, options: CommonOptions) =>
      change(await work(options), await here(), user, roleOf(wanted)),
  );
  add('remove <user>', 'remove a member (an id)').action(async (user: string, options: CommonOptions) =>
    removeMember(await work(options), await here(), user),
  );
  add('leave', 'leave the organization').action(async (options: CommonOptions) =>
    leave(shell, await work(options), await here()),
  );
  add('invitations', 'list the invitations to your e-mail address')
    .option('--sent', 'list those of the organization instead')
    .action(async ({ sent, ...options }: CommonOptions & { sent?: boolean }) =>
      invitations(await work(options), sent === true ? await here() : null),
    );
  add('withdraw <invitation>', 'withdraw an invitation of the organization (an id)').action(
    async (id: string, options: CommonOptions) => withdraw(await work(options), await here(), id),
  );
  add('decline <invitation>', 'decline an invitation to you (an id)').action(
    async (id: string, options: CommonOptions) => decline(await work(options), id),
  );
  add('join <invitation>', 'accept an invitation').action(async (id: string, options: CommonOptions) =>
    join(await work(options), id),
  );
}

async function list({ session, output }: Work): Promise<void> {
  const all = await session.platform.listOrganizations();
  if (all.length === 0) output.note('You have joined no organization.');
  const rows = all.map((one) => [one.id, one.name, one.role]);
  output.result(all.length === 0 ? '' : table(['ID', 'NAME', 'YOUR ROLE'], rows), all);
}

/** Chooses the organization. It is stored with the credentials of `ket login`, so that signing out ends it. */
async function use(shell: Shell, wanted: string | undefined, options: CommonOptions): Promise<void> {
  const kept = usesToken(shell) ? null : await readCredentials(shell);
  if (!kept)
    throw usageFailure(
      'Without ket login nothing is kept: name the organization each time.',
      'ket --in <organization> …',
      'KET_ORGANIZATION=<organization> ket …',
    );
  const { platform } = await openSession({ ...shell, organization: 'me' });
  const organization = wanted === undefined || wanted === 'me' ? null : await joined(platform, wanted);
  await storeCredentials(shell, { ...kept, organizationId: organization?.id ?? null });
  const text = organization
    ? `From now on you act in ${organization.name} (${organization.id}) as ${organization.role}.`
    : 'From now on you act personally.';
  outputOf(shell, options).result(text, { organization });
}

async function create({ session, output }: Work, name: string): Promise<void> {
  const made = await session.platform.createOrganization({ json: { name } });
  output.result(`${made.name} has the id ${made.id}.`, made);
}

async function show({ session, output }: Work, id: string): Promise<void> {
  const found = await session.platform.getOrganization({ organizationId: id });
  output.result(`${found.name} (${found.id}), created ${found.createdAt} UTC. You are ${found.role}.`, found);
}

async function rename({ session, output }: Work, id: string, name: string): Promise<void> {
  const changed = await session.platform.renameOrganization({ organizationId: id, json: { name } });
  output.result(`${changed.id} is named ${changed.name}.`, changed);
}

async function remove(shell: Shell, { session, output }: Work, id: string): Promise<void> {
  await session.platform.deleteOrganization({ organizationId: id });
  await forget(shell, id);
  output.result('The organization is deleted.', { id });
}

async function removeMember({ session, output }: Work, id: string, user: string): Promise<void> {
  await session.platform.removeMember({ organizationId: id, userId: user });
  output.result(`${user} is no member any more.`, { organizationId: id, userId: user });
}

async function invite({ session, output }: Work, id: string, email: string, role: MemberRole): Promise<void> {
  const made = await session.platform.invite({ organizationId: id, json: { email, role } });
  output.result(`${made.email} is invited to ${made.organizationName} as ${made.role}, until ${made.expiresAt}.`, made);
}

async function members({ session, output }: Work, id: string): Promise<void> {
  const all = await session.platform.listMembers({ organizationId: id });
  const rows = all.map((one) => [one.userId, `${one.firstname} ${one.lastname}`, one.role, one.joinedAt]);
  output.result(table(['ID', 'NAME', 'ROLE', 'JOINED (UTC)'], rows), all);
}

async function change({ session, output }: Work, id: string, user: string, role: MemberRole): Promise<void> {
  const changed = await session.platform.changeMember({ organizationId: id, userId: user, json: { role } });
  output.result(`${changed.firstname} ${changed.lastname} is ${changed.role}.`, changed);
}

async function leave(shell: Shell, { session, output }: Work, id: string): Promise<void> {
  await session.platform.leaveOrganization({ organizationId: id });
  await forget(shell, id);
  output.result('You have left the organization.', { id });
}

/** Acts personally again, when this organization was chosen. */
async function forget(shell: Shell, id: string): Promise<void> {
  const kept = await readCredentials(shell);
  if (kept?.organizationId === id) await storeCredentials(shell, { ...kept, organizationId: null });
}

/** The invitations to the user, or those of the organization `sentBy`. */
async function invitations({ session, output }: Work, sentBy: string | null): Promise<void> {
  const { platform } = session;
  const all =
    sentBy === null ? await platform.listOwnInvitations() : await platform.listInvitations({ organizationId: sentBy });
  if (all.length === 0) output.note('No invitations.');
  const rows = all.map((one) => [one.id, sentBy === null ? one.organizationName : one.email, one.role, one.expiresAt]);
  const header = ['ID', sentBy === null ? 'ORGANIZATION' : 'E-MAIL', 'ROLE', 'UNTIL (UTC)'];
  output.result(all.length === 0 ? '' : table(header, rows), all);
}

async function withdraw({ session, output }: Work, id: string, invitationId: string): Promise<void> {
  await session.platform.withdrawInvitation({ organizationId: id, invitationId });
  output.result('The invitation is withdrawn.', { id: invitationId });
}

async function decline({ session, output }: Work, invitationId: string): Promise<void> {
  await session.platform.declineInvitation({ invitationId });
  output.result('You have declined the invitation.', { id: invitationId });
}

async function join({ session, output }: Work, id: string): Promise<void> {
  const joined = await session.platform.acceptInvitation({ invitationId: id });
  output.result(`You have joined ${joined.name} (${joined.id}) as ${joined.role}.`, joined);
}

function roleOf(text: string): MemberRole {
  const role = memberRoles.find((one) => one === text.toUpperCase());
  if (!role) throw usageFailure(`There is no role ${text}: ${memberRoles.join(', ')}.`, 'ket org members');
  return role;
}
