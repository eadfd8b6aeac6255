import { memberRoles } from '@kethub/contract';
import { type Command, Option } from 'commander';
import { selectImplementation } from '../platform/implementations.ts';
import { openSession } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { table } from '../terminal/table.ts';
import { onImplementation, type Work } from './repo-work.ts';

interface InvitationsOptions extends CommonOptions {
  readonly of?: string;
}

/** Invitations by e-mail to implementations. */
export function addInvitations(group: Command, shell: Shell): void {
  const on = onImplementation(shell);
  const roles = memberRoles.map((role) => role.toLowerCase());
  addCommand(group, 'invite <implementation> <email>', 'invite somebody by e-mail address')
    .addOption(new Option('--role <role>', 'role of the member').choices(roles).default('viewer'))
    .action(on(invite));
  addCommand(group, 'invitations', 'list the invitations to your e-mail address')
    .option('--of <implementation>', 'list those to this implementation instead')
    .action((options: InvitationsOptions) => list(shell, options));
  addCommand(group, 'withdraw <implementation> <invitation>', 'withdraw an invitation (an id)').action(on(withdraw));
  addCommand(group, 'join <invitation>', 'accept an invitation (an id)').action((id: string, options: CommonOptions) =>
    join(shell, id, options),
  );
  addCommand(group, 'decline <invitation>', 'decline an invitation to you (an id)').action(
    (id: string, options: CommonOptions) => decline(shell, id, options),
  );
}

async function invite(
  { session, output, implementation }: Work,
  email: string,
  options: CommonOptions & { readonly role: string },
): Promise<void> {
  const role = memberRoles.find((one) => one.toLowerCase() === options.role) ?? 'VIEWER';
  const { id: implementationId } = implementation;
  const made = await session.platform.inviteToImplementation({ implementationId, json: { email, role } });
  output.result(
    `${made.email} is invited to ${made.implementationName} as ${options.role}, until ${made.expiresAt}.`,
    made,
  );
}

async function list(shell: Shell, options: InvitationsOptions): Promise<void> {
  const session = await openSession(shell);
  const output = outputOf(shell, options);
  const { platform } = session;
  const all =
    options.of === undefined
      ? await platform.listOwnImplementationInvitations()
      : await platform.listImplementationInvitations({
          implementationId: (await selectImplementation(session, options.of)).id,
        });
  if (all.length === 0) output.note('No invitations.');
  const rows = all.map((one) => [one.id, one.implementationName, one.role.toLowerCase(), one.email, one.expiresAt]);
  output.result(all.length === 0 ? '' : table(['ID', 'IMPLEMENTATION', 'ROLE', 'TO', 'UNTIL'], rows), all);
}

async function withdraw({ session, output, implementation }: Work, invitationId: string): Promise<void> {
  await session.platform.withdrawImplementationInvitation({ implementationId: implementation.id, invitationId });
  output.result('The invitation is withdrawn.', { id: invitationId });
}

async function join(shell: Shell, invitationId: string, options: CommonOptions): Promise<void> {
  const { platform } = await openSession(shell);
  const joined = await platform.acceptImplementationInvitation({ invitationId });
  const text = `You are ${joined.role.toLowerCase()} of "${joined.name}": ${joined.cloneUrl}`;
  outputOf(shell, options).result(text, joined);
}

async function decline(shell: Shell, invitationId: string, options: CommonOptions): Promise<void> {
  const { platform } = await openSession(shell);
  await platform.declineImplementationInvitation({ invitationId });
  outputOf(shell, options).result('You have declined the invitation.', { id: invitationId });
}
