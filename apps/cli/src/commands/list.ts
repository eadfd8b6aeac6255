import { KethubError } from '@kethub/client';
import type { ServiceExecution, Subscription } from '@kethub/contract';
import type { Command } from 'commander';
import { subscriptionsTo, slugOf } from '../platform/select-service.ts';
import { openSession, type Session } from '../platform/session.ts';
import { addCommand, outputOf, positiveInteger, type CommonOptions, type Shell } from '../shell.ts';
import { table } from '../terminal/table.ts';

interface ListOptions extends CommonOptions {
  readonly limit: number;
}

interface Listed extends ServiceExecution {
  readonly service: string;
  readonly version: string;
}

export function addList(program: Command, shell: Shell): void {
  addCommand(program, 'list [service]', 'list executions, newest first: of one service, or of all')
    .option('--limit <number>', 'at most so many', positiveInteger, 20)
    .action((service: string | undefined, options: ListOptions) => list(shell, service, options));
}

async function list(shell: Shell, wanted: string | undefined, options: ListOptions): Promise<void> {
  const session = await openSession(shell);
  const subscriptions = await session.subscriptions();
  const chosen = wanted === undefined ? subscriptions : subscriptionsTo(subscriptions, wanted);
  const all = await Promise.all(chosen.map((one) => executionsOf(session, one, options.limit)));
  // Ids are UUIDs of version 7: their order is that of creation.
  const newest = all.flat().sort((a, b) => (a.id < b.id ? 1 : -1));
  const shown = newest.slice(0, options.limit);
  const rows = shown.map((one) => [one.id, one.status, `${one.service}@${one.version}`, one.createdAt]);
  const text = shown.length === 0 ? '' : table(['EXECUTION', 'STATUS', 'SERVICE', 'CREATED (UTC)'], rows);
  const output = outputOf(shell, options);
  if (shown.length === 0) output.note('No executions yet.');
  output.result(text, shown);
}

async function executionsOf(session: Session, subscription: Subscription, limit: number): Promise<Listed[]> {
  const gateway = await session.gateway(subscription.endpoint);
  const service = slugOf(subscription.endpoint);
  try {
    // The platform gives out pages of at most 1,000.
    const entries = await gateway.list({ limit: Math.min(limit, 1_000) });
    return entries.map(({ _links: _unused, ...execution }) => ({
      ...execution,
      service,
      version: subscription.version,
    }));
  } catch (error) {
    // Unsubscribed or retired since the subscriptions were read.
    if (error instanceof KethubError && (error.status === 403 || error.status === 404)) return [];
    throw error;
  }
}
