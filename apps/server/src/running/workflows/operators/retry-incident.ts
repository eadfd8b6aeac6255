import type { WorkflowInstance } from '@kethub/contract';
import { isTooDeep, type Variables } from '@kethub/workflow';
import { audit } from '../../../people/audit/index.ts';
import { Problem } from '../../../foundation/http/index.ts';
import type { Context, Platform } from '../../../foundation/platform.ts';
import type { Workflows } from '../../executions/index.ts';
import { eventRow, insertEvents } from '../advance/index.ts';
import { readState } from '../state.ts';
import { workflowsToDo } from '../wake.ts';
import { requireNoSecrets } from '../secret-variables.ts';
import { presentInstance } from './present.ts';
import { requireInstance, requireOwn } from './read-instances.ts';

export const NOT_CORRECTED = 'Secrets are given at the start and cannot be corrected. Start the workflow again.';

/**
 * Retries the element of an incident, with corrected variables if there are any. Each is set where the failed element
 * sees it, else in the process.
 *
 * A worker does it. Throws not-found, not-permitted, invalid-secrets.
 */
export async function retryIncident(
  platform: Platform,
  workflows: Pick<Workflows, 'parameters'>,
  context: Context,
  { instanceId: id, incident: number }: { readonly instanceId: string; readonly incident: number },
  variables: Record<string, unknown> | undefined,
): Promise<WorkflowInstance> {
  const row = await requireInstance(platform, context, id);
  if (variables) {
    requireOwn(row, context);
    if (Object.hasOwn(variables, '$secrets')) throw new Problem('invalid-secrets', NOT_CORRECTED);
    requireNoSecrets(variables, [await workflows.parameters(row.service_version_id)], NOT_CORRECTED);
  }
  if (isTooDeep(variables as Variables | undefined))
    throw new Problem('invalid-request', 'The variables are nested too deeply.');
  await platform.database.write(async (transaction) => {
    const state = await readState(transaction, id);
    const incident = state?.incidents.get(number);
    if (!incident) throw new Problem('not-found', `The instance ${id} has no open incident ${number}.`);
    const corrected = variables && {
      type: 'setVariables' as const,
      scope: incident.element,
      variables: variables as Variables,
    };
    const events = [...(corrected ? [corrected] : []), { type: 'resolveIncident' as const, incident: number }];
    await insertEvents(
      transaction,
      events.map((event) => eventRow(platform, id, event)),
    );
    await audit(platform, transaction, context, 'workflow-instance:retry', id, {
      incident: number,
      elementId: incident.elementId,
      corrected: Object.keys(variables ?? {}),
    });
  });
  workflowsToDo(platform.database);
  return presentInstance(row);
}
