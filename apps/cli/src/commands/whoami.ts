import type { Command } from 'commander';
import { joined } from '../platform/organizations.ts';
import { openSession } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';

export function addWhoami(program: Command, shell: Shell): void {
  addCommand(program, 'whoami', 'show the user who is signed in, and the platform').action((options: CommonOptions) =>
    whoami(shell, options),
  );
}

async function whoami(shell: Shell, options: CommonOptions): Promise<void> {
  const { url, platform, organizationId } = await openSession(shell);
  const { id, username, firstname, lastname, email } = await platform.getMe();
  const organization = organizationId === null ? null : await joined(platform, organizationId);
  const where = organization === null ? '' : `, in ${organization.name} (${organization.id}) as ${organization.role}`;
  outputOf(shell, options).result(`${username} (${firstname} ${lastname}) at ${url}${where}`, {
    url,
    id,
    username,
    firstname,
    lastname,
    email,
    organization,
  });
}
