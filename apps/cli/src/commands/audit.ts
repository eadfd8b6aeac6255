import type { Command } from 'commander';
import { openSession } from '../platform/session.ts';
import { addCommand, outputOf, positiveInteger, type CommonOptions, type Shell } from '../shell.ts';
import { table } from '../terminal/table.ts';

interface AuditOptions extends CommonOptions {
  readonly action?: string;
  readonly resource?: string;
  readonly limit: number;
}

/** The audit log: changes of rights, keys and publications. */
export function addAudit(program: Command, shell: Shell): void {
  addCommand(program, 'audit', 'show changes of your rights, keys and publications, and who made them, newest first')
    .option('--action <action>', 'show only this action, such as access-key:rotate')
    .option('--resource <id>', 'show only changes of this resource (an id)')
    .option('--limit <number>', 'largest number of entries', positiveInteger, 100)
    .action((options: AuditOptions) => audit(shell, options));
}

async function audit(shell: Shell, { action, resource, limit, ...options }: AuditOptions): Promise<void> {
  const { platform } = await openSession(shell);
  // The platform's pages have at most 1,000 entries.
  const entries = await platform.readAuditLog({ action, resourceId: resource, limit: Math.min(limit, 1_000) });
  const output = outputOf(shell, options);
  if (entries.length === 0) output.note('Nothing.');
  const rows = entries.map((one) => [one.at, one.action, one.resourceId, one.actorId]);
  output.result(entries.length === 0 ? '' : table(['AT (UTC)', 'ACTION', 'RESOURCE', 'BY'], rows), entries);
}
