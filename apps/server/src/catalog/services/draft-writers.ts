import { defaultConfiguration, type AddVersionForm, type RuntimeConfiguration } from '@kethub/contract';
import type { Context, Platform } from '../../foundation/platform.ts';
import { markOrphan, type Queries } from '../../foundation/storage/index.ts';
import { insertTarget, type TargetColumns } from '../on-premise/index.ts';
import { copySpecification } from './api-specification.ts';
import { buildAnew } from './change-versions.ts';
import type { VersionWithBuild } from './queries.ts';
import { requirePython, requireRuntime } from './resources.ts';
import type { Source } from './source.ts';
import { useSource } from './use-source.ts';
import { insertDraft, insertVersion, sourceColumns } from './versions.ts';
import { requireApplication } from './workflow-versions.ts';
import { columnsOf, insertWorkflowVersion, updateWorkflowVersion, type WorkflowSource } from './workflow/index.ts';

/**
 * Writes a draft version inside a transaction. Values that the request leaves out are those of `newest`, the version
 * before.
 */
export interface DraftWriter {
  insert(
    transaction: Queries,
    serviceId: string,
    version: string,
    newest: VersionWithBuild | undefined,
  ): Promise<unknown>;
  /** Replaces a failed draft by the upload; null where drafts cannot fail. */
  readonly replace: ((transaction: Queries, failed: VersionWithBuild, version: string) => Promise<unknown>) | null;
}

/** An uploaded file with the fields of its form. */
export interface Upload {
  readonly form: Partial<AddVersionForm>;
  readonly source: Source | WorkflowSource;
}

/** The writer of an upload. A source with problems is a workflow, any other a project. */
export function draftWriterOf(platform: Platform, owner: Context, { form, source }: Upload): DraftWriter {
  return 'problems' in source
    ? workflowDraft(platform, owner, source, form.applicationId)
    : managedDraft(platform, source, form.configuration);
}

function managedDraft(platform: Platform, source: Source, wanted: AddVersionForm['configuration']): DraftWriter {
  async function configurationFor(transaction: Queries, before: VersionWithBuild | undefined) {
    const configuration =
      wanted ?? (before ? (JSON.parse(before.configuration) as RuntimeConfiguration) : defaultConfiguration);
    await requireRuntime(transaction, configuration, '/configuration');
    await requirePython(transaction, source.asked, configuration);
    return configuration;
  }
  return {
    async insert(transaction, serviceId, version, newest) {
      const configuration = await configurationFor(transaction, newest);
      const { versionId } = await insertDraft(platform, transaction, serviceId, version, source, configuration);
      if (newest) await copySpecification(transaction, newest.id, versionId);
    },
    async replace(transaction, failed, version) {
      const configuration = await configurationFor(transaction, failed);
      const anew = await buildAnew(platform, transaction, failed.id);
      const { runtime } = configuration;
      const columns = { ...anew, version, runtime, configuration: JSON.stringify(configuration) };
      await replaceSource(platform, transaction, failed, source, columns);
    },
  };
}

function workflowDraft(
  platform: Platform,
  owner: Context,
  source: WorkflowSource,
  wanted: AddVersionForm['applicationId'],
): DraftWriter {
  async function applicationFor(transaction: Queries, before: VersionWithBuild | undefined) {
    if (wanted === undefined) return before?.workflow_application_id ?? null;
    await requireApplication(transaction, owner, wanted);
    return wanted;
  }
  return {
    async insert(transaction, serviceId, version, newest) {
      const applicationId = await applicationFor(transaction, newest);
      await useSource(platform, transaction, serviceId, source);
      const id = await insertVersion(platform, transaction, serviceId, version, sourceColumns(source));
      await insertWorkflowVersion(transaction, id, source, applicationId);
    },
    async replace(transaction, failed, version) {
      const application_id = await applicationFor(transaction, failed);
      await replaceSource(platform, transaction, failed, source, { version });
      await updateWorkflowVersion(transaction, failed.id, { ...columnsOf(source), application_id });
    },
  };
}

/** The writer of a version of an on-premise service. */
export function onPremiseDraft(platform: Platform, target: TargetColumns): DraftWriter {
  return {
    async insert(transaction, serviceId, version) {
      const id = await insertVersion(platform, transaction, serviceId, version, {});
      await insertTarget(transaction, id, target);
    },
    replace: null,
  };
}

async function replaceSource(
  platform: Platform,
  transaction: Queries,
  failed: VersionWithBuild,
  source: Source | WorkflowSource,
  columns: { readonly version: string },
): Promise<void> {
  await useSource(platform, transaction, failed.service_id, source, failed.source_bytes);
  await transaction
    .updateTable('service_versions')
    .set({ ...columns, ...sourceColumns(source), revision: failed.revision + 1 })
    .where('id', '=', failed.id)
    .execute();
  await markOrphan(transaction, failed.source_blob, platform.now());
}

/**
 * Returns whether a version is a failed draft: its build has failed, or its workflow has problems. It may be replaced.
 */
export function isFailedDraft({
  state,
  build_status,
  workflow_problems,
  workflow_requirements,
}: VersionWithBuild): boolean {
  if (state !== 'DRAFT') return false;
  return build_status === 'FAILED' || (workflow_problems !== null && workflow_requirements === null);
}

/** Removes a draft with its source and its build, inside a transaction. */
export async function deleteDraft(platform: Platform, transaction: Queries, draft: VersionWithBuild): Promise<void> {
  const builds = await transaction
    .selectFrom('builds')
    .select('log_blob')
    .where('service_version_id', '=', draft.id)
    .execute();
  await transaction.deleteFrom('service_versions').where('id', '=', draft.id).execute();
  for (const { log_blob } of [{ log_blob: draft.source_blob }, ...builds])
    if (log_blob !== null) await markOrphan(transaction, log_blob, platform.now());
}
