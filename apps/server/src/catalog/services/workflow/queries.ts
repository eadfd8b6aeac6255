import type { Requirements } from '@kethub/workflow';
import type { Queries, ServiceRow, WorkflowVersionRow } from '../../../foundation/storage/index.ts';
import type { JudgedWorkflow } from './judge.ts';

export function insertWorkflowVersion(
  transaction: Queries,
  versionId: string,
  judged: JudgedWorkflow,
  applicationId: string | null,
) {
  const row: WorkflowVersionRow = {
    service_version_id: versionId,
    application_id: applicationId,
    ...columnsOf(judged),
  };
  return transaction.insertInto('workflow_versions').values(row).execute();
}

export function updateWorkflowVersion(
  transaction: Queries,
  versionId: string,
  values: Partial<Omit<WorkflowVersionRow, 'service_version_id'>>,
) {
  return transaction.updateTable('workflow_versions').set(values).where('service_version_id', '=', versionId).execute();
}

export function findWorkflowVersion(queries: Queries, versionId: string) {
  return queries
    .selectFrom('workflow_versions')
    .selectAll()
    .where('service_version_id', '=', versionId)
    .executeTakeFirst();
}

export function columnsOf({ problems, requirements }: JudgedWorkflow) {
  return {
    process_id: requirements?.processId ?? null,
    requirements: requirements && JSON.stringify(requirements),
    problems: JSON.stringify(problems),
  };
}

/** Finds an application of this owner. */
export function findApplication(queries: Queries, owner: Pick<ServiceRow, 'owner_type' | 'owner_id'>, id: string) {
  return queries
    .selectFrom('applications')
    .select('name')
    .where('id', '=', id)
    .where('owner_type', '=', owner.owner_type)
    .where('owner_id', '=', owner.owner_id)
    .executeTakeFirst();
}

/** The requirements of a version without problems, which this program validated when it wrote the row; else null. */
export function requirementsIn(row: Pick<WorkflowVersionRow, 'requirements'>): Requirements | null {
  return row.requirements === null ? null : (JSON.parse(row.requirements) as Requirements);
}
