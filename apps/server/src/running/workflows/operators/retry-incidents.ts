import { limits, type RetryIncidentsReceipt, type RetryIncidentsRequest } from '@kethub/contract';
import { isTooDeep, type Variables } from '@kethub/workflow';
import { audit } from '../../../people/audit/index.ts';
import { Problem } from '../../../foundation/http/index.ts';
import type { Context, Platform } from '../../../foundation/platform.ts';
import { requireService } from '../../../catalog/services/index.ts';
import type { Workflows } from '../../executions/index.ts';
import { eventRow, insertEvents } from '../advance/index.ts';
import { requireNoSecrets } from '../secret-variables.ts';
import { workflowsToDo } from '../wake.ts';
import { pageOfIncidents } from './incident-queries.ts';
import { isOwn } from './present.ts';
import { NOT_CORRECTED } from './retry-incident.ts';

/**
 * Retries open incidents of a workflow, the oldest first, with corrected variables if there are any. Incidents of
 * instances that were started for somebody else are not retried with variables.
 *
 * A worker does it. Throws not-found, invalid-secrets, invalid-request.
 */
export async function retryIncidents(
  platform: Platform,
  workflows: Pick<Workflows, 'parameters'>,
  context: Context,
  { variables: given, ...filter }: RetryIncidentsRequest,
): Promise<RetryIncidentsReceipt> {
  const { database } = platform;
  const variables = given as Variables | undefined;
  if (isTooDeep(variables)) throw new Problem('invalid-request', 'The variables are nested too deeply.');
  if (variables && Object.hasOwn(variables, '$secrets')) throw new Problem('invalid-secrets', NOT_CORRECTED);
  await requireService(database.read, context, filter.serviceId);
  const page = { after: null, limit: limits.workflowIncidentRetries + 1, order: 'asc' } as const;
  const found = await pageOfIncidents(database.read, context, filter, page);
  const matching = found.slice(0, limits.workflowIncidentRetries);
  const retried = variables === undefined ? matching : matching.filter((row) => isOwn(row, context));
  if (variables !== undefined) {
    const versions = [...new Set(retried.map(({ service_version_id }) => service_version_id))];
    requireNoSecrets(variables, await Promise.all(versions.map((id) => workflows.parameters(id))), NOT_CORRECTED);
  }
  await database.write(async (transaction) => {
    await insertEvents(
      transaction,
      retried.flatMap(({ instance_id, incident, element }) => [
        ...(variables ? [eventRow(platform, instance_id, { type: 'setVariables', scope: element, variables })] : []),
        eventRow(platform, instance_id, { type: 'resolveIncident', incident }),
      ]),
    );
    await audit(platform, transaction, context, 'workflow-instance:retry', filter.serviceId, {
      incidents: retried.length,
      elementId: filter.elementId ?? null,
      corrected: Object.keys(variables ?? {}),
    });
  });
  workflowsToDo(database);
  return {
    retried: retried.length,
    foreign: matching.length - retried.length,
    isLeft: found.length > matching.length,
  };
}
