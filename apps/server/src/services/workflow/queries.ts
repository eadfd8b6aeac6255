import type { Requirements } from '@kethub/workflow';
import type { Queries, WorkflowVersionRow } from '../../storage/index.ts';
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

/** What a version without problems needs and offers. Rows hold JSON that this program wrote. */
export function requirementsIn(row: Pick<WorkflowVersionRow, 'requirements'>): Requirements | null {
  return row.requirements === null ? null : (JSON.parse(row.requirements) as Requirements);
}
