import type { Command } from 'commander';
import { openSession } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { table } from '../terminal/table.ts';

/** Finds resources of the context by name, and organizations to share with. */
export function addFind(program: Command, shell: Shell): void {
  addCommand(program, 'find <text>', 'find services, applications and data pools by a part of their name')
    .option('--organizations', 'find organizations by their whole name or id, to share something with them')
    .action((text: string, options: CommonOptions & { organizations?: boolean }) => find(shell, text, options));
}

async function find(
  shell: Shell,
  q: string,
  { organizations = false, ...options }: CommonOptions & { organizations?: boolean },
): Promise<void> {
  const { platform } = await openSession(shell);
  const found = organizations
    ? (await platform.findOrganizations({ q })).map((one) => ({ type: 'ORGANIZATION', ...one }))
    : await platform.searchEverything({ q });
  const output = outputOf(shell, options);
  if (found.length === 0) output.note(`Nothing is named "${q}".`);
  const rows = found.map(({ type, name, id }) => [type, name, id]);
  output.result(found.length === 0 ? '' : table(['TYPE', 'NAME', 'ID'], rows), found);
}
