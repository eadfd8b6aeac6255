import { toTimestamp, type WorkflowMessageReceipt } from '@kethub/contract';
import { requirementsIn } from '../../catalog/services/index.ts';
import type { Queries, WorkflowMessageRow } from '../../foundation/storage/index.ts';

/** Number of versions in which the name of a message is looked for, newest first. */
const VERSIONS = 50;

/** The outcome of a message in the transaction that publishes it. */
export interface Published {
  readonly started: readonly string[];
  readonly delivered: number;
  /** The active instance because of which the message starts no other. */
  readonly activeId: string | null;
}

/** Describes the outcome to the publisher. */
export async function receiptOf(
  queries: Queries,
  row: WorkflowMessageRow,
  { started, delivered, activeId }: Published,
): Promise<WorkflowMessageReceipt> {
  const { id, name, correlation_key: correlationKey } = row;
  const expiresAt = toTimestamp(row.expires_at);
  const receipt = { id, name, correlationKey, started: [...started], delivered };
  const of = (outcome: WorkflowMessageReceipt['outcome'], detail: string): WorkflowMessageReceipt => ({
    ...receipt,
    ...(delivered === 0 && { expiresAt }),
    outcome,
    detail,
  });
  const instances = `${delivered} ${delivered === 1 ? 'instance that waited has' : 'instances that waited have'} got it.`;
  if (started.length > 0)
    return of('STARTED', `It has started ${started.join(', ')}.${delivered > 0 ? ` ${instances}` : ''}`);
  if (delivered > 0) return of('DELIVERED', instances);
  const waits = `The message waits until ${expiresAt}.`;
  if (activeId !== null)
    return of('KEY_ACTIVE', `The execution ${activeId} was started with this correlation key and is active. ${waits}`);
  if (!(await isKnown(queries, row)))
    return of('UNKNOWN_NAME', `No version of the workflow has a message of this name. ${waits}`);
  if (await waitsForName(queries, row))
    return of('OTHER_KEY', `Instances wait for this name with other correlation keys. ${waits}`);
  return of('WAITING', `No instance waits for this name now. ${waits}`);
}

async function isKnown(queries: Queries, { service_id, name }: WorkflowMessageRow): Promise<boolean> {
  const rows = await queries
    .selectFrom('workflow_versions')
    .innerJoin('service_versions', 'service_versions.id', 'workflow_versions.service_version_id')
    .select('requirements')
    .where('service_id', '=', service_id)
    .orderBy('service_versions.id', 'desc')
    .limit(VERSIONS)
    .execute();
  return rows.some((row) => {
    const needs = requirementsIn(row);
    return [...(needs?.messages ?? []), ...(needs?.messageStarts ?? [])].some(
      ({ messageName }) => messageName === name,
    );
  });
}

/** Returns whether an instance that the publisher reaches waits for the name with another correlation key. */
async function waitsForName(queries: Queries, row: WorkflowMessageRow): Promise<boolean> {
  let waiting = queries
    .selectFrom('workflow_subscriptions as wanted')
    .innerJoin('workflow_instances as instance', 'instance.id', 'wanted.instance_id')
    .innerJoin('executions', 'executions.id', 'instance.execution_id')
    .select('wanted.instance_id')
    .where('wanted.service_id', '=', row.service_id)
    .where('wanted.message_name', '=', row.name)
    .where('wanted.correlation_key', '<>', row.correlation_key)
    .limit(1);
  if (row.subscription_id !== null) waiting = waiting.where('executions.subscription_id', '=', row.subscription_id);
  return (await waiting.executeTakeFirst()) !== undefined;
}
