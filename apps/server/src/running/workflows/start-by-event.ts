import { jsonText, type Variables } from '@kethub/workflow';
import { acceptExecutions, prepareExecution, wakeWorkers, type Origin, type Workflows } from '../executions/index.ts';
import { lockOwnerShared } from '../../people/organizations/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import type { OwnerType, Queries } from '../../foundation/storage/index.ts';

/** The origin of an execution that a message or signal of the owner starts, or a timer (`personId` is null). */
export function originOfOwner(
  { addresses }: Platform,
  owner: { readonly type: OwnerType; readonly id: string },
  personId: string | null,
  serviceId: string,
  serviceVersionId: string,
): Origin {
  return {
    scope: { of: { by: 'OWNER', ...owner }, address: `${addresses.api}/service-executions` },
    subscriptionId: null,
    applicationId: null,
    owner,
    personId,
    serviceId,
    serviceVersionId,
    program: { type: 'WORKFLOW' },
  };
}

/** A start event that has happened. */
interface StartEvent {
  readonly elementId: string;
  readonly variables: Variables;
  /** Number of instances that have started one another up to this one. Default: 0. */
  readonly depth?: number;
}

/** Starts an instance by a timer, message or signal start event, inside a transaction. Call `started` after the commit. */
export async function startByEvent(
  platform: Platform,
  workflows: Workflows,
  transaction: Queries,
  origin: Origin,
  { elementId, variables, depth = 0 }: StartEvent,
): Promise<{ readonly id: string; readonly started: () => void }> {
  const text = jsonText(variables);
  const judged = await prepareExecution(platform, workflows, origin, platform.newId(), text, elementId);
  const prepared = { ...judged, depth };
  await lockOwnerShared(platform, transaction, origin.owner);
  await acceptExecutions(workflows, transaction, [prepared]);
  return {
    id: prepared.row.id,
    started() {
      platform.telemetry.metrics?.accepted();
      wakeWorkers(platform, workflows, prepared);
    },
  };
}
