import type { ServiceVersion } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { accessChanged } from '../../people/authorization/index.ts';
import { audit } from '../../people/audit/index.ts';
import { etag, Problem, requireMatch, type Revised } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { markOrphan, removeOrphans, type Queries } from '../../foundation/storage/index.ts';
import type { VersionRow } from './queries.ts';
import { requireDraft, requireVersion, sourceColumns, type VersionRef } from './versions.ts';
import { useSource } from './use-source.ts';
import {
  bpmnMedia,
  columnsOf,
  findApplication,
  findWorkflowVersion,
  isBpmn,
  requirementsIn,
  storeWorkflow,
  updateWorkflowVersion,
} from './workflow/index.ts';
import { changedVersion } from './write-versions.ts';

/** Replaces the file of a workflow draft. */
export async function replaceWorkflow(
  platform: Platform,
  at: VersionRef,
  upload: () => Readable,
  ifMatch: string | undefined,
): Promise<Revised<ServiceVersion>> {
  requireDraft((await requireWorkflow(platform.database.read, at)).row);
  const source = await storeWorkflow(platform, upload());
  const unused = [source.blob];
  try {
    return await change(platform, at, ifMatch, async (transaction, row) => {
      requireDraft(row);
      const columns = sourceColumns(source);
      await useSource(platform, transaction, at.serviceId, source, row.source_bytes);
      await transaction.updateTable('service_versions').set(columns).where('id', '=', row.id).execute();
      await updateWorkflowVersion(transaction, row.id, columnsOf(source));
      await markOrphan(transaction, row.source_blob, platform.now());
      unused.push(row.source_blob);
    });
  } finally {
    await removeOrphans(platform.database, platform.blobs, unused);
  }
}

/**
 * Sets the application as which the tasks of a draft call services. Its subscriptions are checked at deployment and
 * calls.
 */
export async function setWorkflowApplication(
  platform: Platform,
  at: VersionRef,
  applicationId: string | null,
  ifMatch: string | undefined,
): Promise<Revised<ServiceVersion>> {
  const { owner, serviceId, version } = at;
  const answer = await change(platform, at, ifMatch, async (transaction, row) => {
    requireDraft(row);
    if (applicationId !== null) await requireApplication(transaction, owner, applicationId);
    await updateWorkflowVersion(transaction, row.id, { application_id: applicationId });
    await audit(platform, transaction, owner, 'service:change', serviceId, { version, applicationId });
  });
  accessChanged(platform.database);
  return answer;
}

/** Throws invalid-request if `owner` has no such application. */
export async function requireApplication(queries: Queries, owner: Context, id: string): Promise<void> {
  const row = await findApplication(queries, { owner_type: owner.type, owner_id: owner.id }, id);
  if (row) return;
  const detail = 'is not an application of the owner of the workflow';
  throw new Problem('invalid-request', `/applicationId ${detail}.`, {
    errors: [{ pointer: '/applicationId', detail }],
  });
}

/** Registers the timer and signal start events of this version, in place of those of other versions. */
export async function registerStarts(transaction: Queries, serviceId: string, versionId: string): Promise<void> {
  await transaction
    .deleteFrom('workflow_schedules')
    .where('service_version_id', 'in', (query) =>
      query.selectFrom('service_versions').select('id').where('service_id', '=', serviceId),
    )
    .execute();
  const row = await findWorkflowVersion(transaction, versionId);
  const needs = row && requirementsIn(row);
  const starts = needs?.timerStarts ?? [];
  // Due at once: the workflow engine then computes the time.
  const rows = starts.map(({ elementId }) => ({
    service_version_id: versionId,
    element_id: elementId,
    due: 0,
    timer: null,
    attempts: 0,
    failure: null,
    stopped_at: null,
  }));
  if (rows.length > 0) await transaction.insertInto('workflow_schedules').values(rows).execute();
  await transaction.deleteFrom('workflow_signal_starts').where('service_id', '=', serviceId).execute();
  const signals = (needs?.signalStarts ?? []).map(({ elementId, signalName }) => ({
    service_version_id: versionId,
    element_id: elementId,
    service_id: serviceId,
    signal_name: signalName,
  }));
  if (signals.length > 0) await transaction.insertInto('workflow_signal_starts').values(signals).execute();
}

async function change(
  platform: Platform,
  at: VersionRef,
  ifMatch: string | undefined,
  make: (transaction: Queries, row: VersionRow) => Promise<void>,
): Promise<Revised<ServiceVersion>> {
  return platform.database.write(async (transaction) => {
    const found = await requireWorkflow(transaction, at);
    requireMatch(ifMatch, etag(found.row.revision));
    await make(transaction, found.row);
    return changedVersion(platform, transaction, found);
  });
}

async function requireWorkflow(queries: Queries, at: VersionRef) {
  const found = await requireVersion(queries, at);
  if (found.service.type === 'WORKFLOW') return found;
  throw new Problem('not-found', `The service ${found.service.name} is not a workflow service.`);
}

export function bpmnOf(request: FastifyRequest): Readable {
  if (isBpmn(request) && request.body instanceof Readable) return request.body;
  throw new Problem('unsupported-media-type', `Send the BPMN file as the body with Content-Type: ${bpmnMedia[0]}.`);
}
