import type { Platform } from '../../../foundation/platform.ts';
import { isAmong, type Queries } from '../../../foundation/storage/index.ts';
import type { Effects } from './effects.ts';
import { eventRow } from './events.ts';

/**
 * Number of instances that the call activities of one execution may start, at any depth: processes can call themselves.
 * Beyond it, a call activity gets an incident.
 */
const CALLED = 10_000;

/** Gives call activities beyond the limit an incident in place of an instance. */
export async function limitChildren(
  platform: Pick<Platform, 'newId'>,
  transaction: Queries,
  effects: Effects,
  most = CALLED,
): Promise<void> {
  if (effects.children.length === 0) return;
  const executions = [...new Set(effects.children.map((child) => child.execution_id))];
  const counts = await transaction
    .selectFrom('workflow_instances')
    .select(({ fn }) => ['execution_id', fn.countAll<number | string>().as('count')])
    .where(isAmong(transaction, 'execution_id', executions))
    .groupBy('execution_id')
    .execute();
  const known = new Map(counts.map(({ execution_id, count }) => [execution_id, Number(count)]));
  const refused = new Set<string>();
  for (const { id, execution_id, parent_id, parent_child } of effects.children) {
    const count = (known.get(execution_id) ?? 0) + 1;
    known.set(execution_id, count);
    if (count <= most || parent_id === null || parent_child === null) continue;
    refused.add(id);
    const message = `The call activities of one execution may start ${most} processes. Does a process call itself without end?`;
    const outcome = { type: 'notStarted', message } as const;
    effects.events.push(eventRow(platform, parent_id, { type: 'childEnded', child: parent_child, outcome }));
  }
  if (refused.size === 0) return;
  keep(effects.children, ({ id }) => !refused.has(id));
  keep(effects.events, ({ instance_id }) => !refused.has(instance_id));
}

function keep<T>(rows: T[], wanted: (row: T) => boolean): void {
  rows.splice(0, rows.length, ...rows.filter(wanted));
}
