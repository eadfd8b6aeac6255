import type { FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { accessChanged } from '../access/index.ts';
import { audit } from '../audit/index.ts';
import { etag, once, Problem, requireMatch, type Answer } from '../http/index.ts';
import type { Context, Platform } from '../platform.ts';
import { isDuplicate, type Queries } from '../storage/index.ts';
import { presentVersion } from './present.ts';
import { findVersion, newestVersions } from './queries.ts';
import { nextNumber, requireDraft, requireService, requireVersion } from './versions.ts';
import {
  bpmnMedia,
  columnsOf,
  findWorkflowVersion,
  insertWorkflowVersion,
  isBpmn,
  requirementsIn,
  storeWorkflow,
  updateWorkflowVersion,
  type WorkflowSource,
} from './workflow/index.ts';

/** Adds a draft version of a workflow service, inside a transaction. */
export async function insertWorkflowDraft(
  platform: Platform,
  transaction: Queries,
  serviceId: string,
  version: string,
  source: WorkflowSource,
  applicationId: string | null,
): Promise<string> {
  const id = platform.newId();
  await transaction
    .insertInto('service_versions')
    .values({
      id,
      service_id: serviceId,
      version,
      state: 'DRAFT',
      visibility: 'NONE',
      configuration: '{}',
      source_blob: source.blob,
      source_bytes: source.bytes,
      source_digest: source.digest,
      build_id: '',
      code: null,
      parameters: null,
      created_at: platform.now(),
      published_at: null,
      revision: 1,
    })
    .execute();
  await insertWorkflowVersion(transaction, id, source, applicationId);
  return id;
}

/** Saves the next version of a workflow as a draft, with the application of the newest one. */
export async function addWorkflowVersion(
  platform: Platform,
  owner: Context,
  serviceId: string,
  wanted: string | undefined,
  request: FastifyRequest,
): Promise<Answer> {
  const source = await storeWorkflow(platform, bpmnOf(request));
  let inserted = false;
  try {
    const same = `${source.digest}${wanted ?? ''}`;
    return await once(platform, request, `versions of ${serviceId}`, same, async (transaction) => {
      const service = await requireService(transaction, owner, serviceId);
      const number = await nextNumber(transaction, serviceId, wanted);
      const [newest] = await newestVersions(transaction, [serviceId]);
      const applicationId = newest?.workflow_application_id ?? null;
      await insertWorkflowDraft(platform, transaction, serviceId, number, source, applicationId);
      const row = await findVersion(transaction, serviceId, number);
      if (!row) throw new Error('The version that was just inserted is not there');
      inserted = true;
      const location = `${platform.addresses.api}/services/${serviceId}/versions/${number}`;
      return { status: 201, body: presentVersion(row, service, platform), headers: { location } };
    });
  } catch (error) {
    inserted = false;
    if (isDuplicate(error))
      throw new Problem('conflict', 'Somebody else has just added a version. Read the service again.');
    throw error;
  } finally {
    if (!inserted) await platform.blobs.remove(source.blob);
  }
}

/** Saves another file into the draft of a workflow. */
export async function replaceWorkflow(
  platform: Platform,
  owner: Context,
  serviceId: string,
  version: string,
  request: FastifyRequest,
): Promise<Answer> {
  requireDraft((await requireWorkflow(platform.database.read, owner, serviceId, version)).row);
  const source = await storeWorkflow(platform, bpmnOf(request));
  let unused = source.blob;
  try {
    const answer = await change(platform, owner, serviceId, version, request, async (transaction, row) => {
      requireDraft(row);
      const values = { source_blob: source.blob, source_bytes: source.bytes, source_digest: source.digest };
      await transaction.updateTable('service_versions').set(values).where('id', '=', row.id).execute();
      await updateWorkflowVersion(transaction, row.id, columnsOf(source));
      return row.source_blob;
    });
    unused = answer.before;
    return answer.answer;
  } finally {
    await platform.blobs.remove(unused);
  }
}

/** Sets as which application the tasks of a draft call services. That they may is checked when it is deployed, and at each call. */
export async function setWorkflowApplication(
  platform: Platform,
  owner: Context,
  serviceId: string,
  version: string,
  applicationId: string | null,
  request: FastifyRequest,
): Promise<Answer> {
  const { answer } = await change(platform, owner, serviceId, version, request, async (transaction, row) => {
    requireDraft(row);
    if (applicationId !== null) await requireApplication(transaction, owner, applicationId);
    await updateWorkflowVersion(transaction, row.id, { application_id: applicationId });
    await audit(platform, transaction, owner, 'service:change', serviceId, { version, applicationId });
  });
  accessChanged(platform.database);
  return answer;
}

/** Throws invalid-request when it is not an application of `owner`. */
export async function requireApplication(queries: Queries, owner: Context, id: string): Promise<void> {
  const row = await queries
    .selectFrom('applications')
    .select('id')
    .where('id', '=', id)
    .where('owner_type', '=', owner.type)
    .where('owner_id', '=', owner.id)
    .executeTakeFirst();
  if (row) return;
  const detail = 'is not an application of the owner of the workflow';
  throw new Problem('invalid-request', `/applicationId ${detail}.`, {
    errors: [{ pointer: '/applicationId', detail }],
  });
}

/** From when on the timer start events of this version count, in place of those of other versions. */
export async function scheduleStarts(transaction: Queries, serviceId: string, versionId: string): Promise<void> {
  await transaction
    .deleteFrom('workflow_schedules')
    .where('service_version_id', 'in', (query) =>
      query.selectFrom('service_versions').select('id').where('service_id', '=', serviceId),
    )
    .execute();
  const row = await findWorkflowVersion(transaction, versionId);
  const starts = (row && requirementsIn(row)?.timerStarts) ?? [];
  // Due at once: only who runs workflows can tell when.
  const rows = starts.map(({ elementId }) => ({
    service_version_id: versionId,
    element_id: elementId,
    due: 0,
    timer: null,
  }));
  if (rows.length > 0) await transaction.insertInto('workflow_schedules').values(rows).execute();
}

type Version = Awaited<ReturnType<typeof requireVersion>>['row'];

async function change<Before>(
  platform: Platform,
  owner: Context,
  serviceId: string,
  version: string,
  request: FastifyRequest,
  make: (transaction: Queries, row: Version) => Promise<Before>,
): Promise<{ answer: Answer; before: Before }> {
  return platform.database.write(async (transaction) => {
    const { row, service } = await requireWorkflow(transaction, owner, serviceId, version);
    requireMatch(request, etag(row.revision));
    const before = await make(transaction, row);
    const revision = row.revision + 1;
    await transaction.updateTable('service_versions').set({ revision }).where('id', '=', row.id).execute();
    const changed = await findVersion(transaction, serviceId, version);
    if (!changed) throw new Error('The version that was just changed is not there');
    const body = presentVersion(changed, service, platform);
    return { answer: { status: 200, body, headers: { etag: etag(revision) } }, before };
  });
}

async function requireWorkflow(queries: Queries, owner: Context, serviceId: string, version: string) {
  const found = await requireVersion(queries, owner, serviceId, version);
  if (found.service.type === 'WORKFLOW') return found;
  throw new Problem('not-found', `The service ${found.service.name} is not a workflow service.`);
}

function bpmnOf(request: FastifyRequest): Readable {
  if (isBpmn(request) && request.body instanceof Readable) return request.body;
  throw new Problem('unsupported-media-type', `Send the BPMN file as the body with Content-Type: ${bpmnMedia[0]}.`);
}
