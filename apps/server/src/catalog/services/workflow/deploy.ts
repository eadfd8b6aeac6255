import type { WorkflowProblem } from '@kethub/contract';
import type { Requirements } from '@kethub/workflow';
import { Problem } from '../../../foundation/http/index.ts';
import type { Queries, ServiceRow, WorkflowVersionRow } from '../../../foundation/storage/index.ts';
import { findApplication, findWorkflowVersion, requirementsIn } from './queries.ts';

/**
 * Checks whether a workflow can be deployed. Its file must have no problems. The applications as which its tasks call
 * services must belong to its owner and be subscribed to them. Throws invalid-workflow with every element.
 */
export async function requireDeployable(
  queries: Queries,
  service: Pick<ServiceRow, 'owner_type' | 'owner_id'>,
  versionId: string,
): Promise<void> {
  const row = await findWorkflowVersion(queries, versionId);
  if (!row) throw new Error('A version of a workflow service without a workflow');
  const found = JSON.parse(row.problems) as WorkflowProblem[];
  const needs = requirementsIn(row);
  const problems = needs ? await problemsOfServices(queries, service, row, needs) : found;
  if (problems.length > 0) throw refusedWorkflow(problems);
}

function refusedWorkflow(problems: readonly WorkflowProblem[]): Problem {
  const first = problems
    .slice(0, 3)
    .map(({ elementId, message }) => `${elementId === null ? '' : `${elementId}: `}${message}`)
    .join(' ');
  const more = problems.length > 3 ? ` And ${problems.length - 3} more.` : '';
  const errors = problems.map(({ elementId, code, message, expression }) => ({
    pointer: elementId === null ? '' : `/${elementId}`,
    detail: expression === undefined ? message : `${message} (${expression})`,
    ...(elementId !== null && { elementId }),
    code,
  }));
  return new Problem('invalid-workflow', `The workflow cannot be deployed. ${first}${more}`, { errors });
}

async function problemsOfServices(
  queries: Queries,
  owner: Pick<ServiceRow, 'owner_type' | 'owner_id'>,
  { application_id }: WorkflowVersionRow,
  { services }: Requirements,
): Promise<WorkflowProblem[]> {
  const problems: WorkflowProblem[] = [];
  for (const { elementId, serviceId, serviceVersion, applicationId = null } of services) {
    const as = applicationId ?? application_id;
    const message =
      as === null
        ? 'The task has no application as which it could call the service. Name one in the task header applicationId, or one for the whole workflow.'
        : await whyNotSubscribed(queries, owner, as, serviceId, serviceVersion);
    if (message !== null) problems.push({ elementId, code: 'NOT_SUBSCRIBED', message });
  }
  return problems;
}

async function whyNotSubscribed(
  queries: Queries,
  owner: Pick<ServiceRow, 'owner_type' | 'owner_id'>,
  applicationId: string,
  serviceId: string,
  version: string | null,
): Promise<string | null> {
  const application = await findApplication(queries, owner, applicationId);
  if (!application) return `The owner of the workflow has no application ${applicationId}.`;
  const subscriptions = await queries
    .selectFrom('subscriptions')
    .innerJoin('service_versions', 'service_versions.id', 'subscriptions.service_version_id')
    .select('version')
    .where('application_id', '=', applicationId)
    .where('subscriptions.service_id', '=', serviceId)
    .execute();
  if (subscriptions.some((one) => version === null || one.version === version)) return null;
  const what = version === null ? '' : `version ${version} of `;
  return `The application ${application.name} is not subscribed to ${what}the service ${serviceId}. Subscribe it: POST /applications/${applicationId}/subscriptions.`;
}
