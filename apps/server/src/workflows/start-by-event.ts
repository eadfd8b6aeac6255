import type { Variables } from '@kethub/workflow';
import { acceptExecutions, prepareExecution, wakeWorkers, type Workflows } from '../executions/index.ts';
import { holdOwner } from '../organizations/index.ts';
import type { Platform } from '../platform.ts';
import type { OwnerType, Queries } from '../storage/index.ts';

export interface StartByEvent {
  readonly owner: { readonly type: OwnerType; readonly id: string };
  /** Who has sent the message; null for a timer. */
  readonly personId: string | null;
  readonly serviceId: string;
  readonly serviceVersionId: string;
  readonly startEvent: string;
  readonly variables: Variables;
}

/** Starts an instance by a timer or message start event, inside a transaction; returns its id. Call `started` afterwards. */
export async function startByEvent(
  platform: Platform,
  workflows: Workflows,
  transaction: Queries,
  { owner, personId, serviceId, serviceVersionId, startEvent, variables }: StartByEvent,
): Promise<{ readonly id: string; readonly started: () => void }> {
  const origin = {
    scope: { of: { by: 'OWNER' as const, ...owner }, address: `${platform.addresses.api}/service-executions` },
    subscriptionId: null,
    applicationId: null,
    owner,
    personId,
    serviceId,
    serviceVersionId,
    dataPools: [],
    isWorkflow: true,
  };
  const text = JSON.stringify(variables);
  const prepared = await prepareExecution(platform, workflows, origin, platform.newId(), text, startEvent);
  await holdOwner(platform, transaction, owner);
  await acceptExecutions(workflows, transaction, [prepared]);
  return {
    id: prepared.row.id,
    started() {
      platform.telemetry.metrics?.accepted();
      wakeWorkers(platform, workflows, prepared);
    },
  };
}
