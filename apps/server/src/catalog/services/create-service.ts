import { CreateOnPremiseServiceRequest, CreateServiceForm, defaultConfiguration } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { once, Problem, type Answer } from '../../foundation/http/index.ts';
import { targetColumns } from '../on-premise/index.ts';
import { holdOwner } from '../../people/organizations/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { isDuplicate, removeUnused, type Queries, type ServiceRow } from '../../foundation/storage/index.ts';
import { buildPending } from './builds/index.ts';
import { serviceAnswersOf } from './catalog.ts';
import { replaceFailed } from './add-version.ts';
import { insertOnPremiseDraft, isJson, withoutPassword } from './on-premise.ts';
import { presentService } from './present.ts';
import { findService, insertService, newestVersions, type VersionWithBuild } from './queries.ts';
import { shapeOf } from './shapes.ts';
import { slugOf } from './slug.ts';
import { requireRuntime } from './resources.ts';
import { readServiceForm } from './service-form.ts';
import { requireFreeAddress } from './transfer.ts';
import type { Replace } from './write-versions.ts';
import { insertDraft } from './versions.ts';
import { insertWorkflowDraft, requireApplication } from './workflow-versions.ts';

const formOf = shapeOf(CreateServiceForm, 'form');
const bodyOf = shapeOf(CreateOnPremiseServiceRequest, 'body');

/** Creates a service with its first draft version: a managed one or a workflow from a form, one that runs elsewhere from JSON. */
export function createService(platform: Platform, owner: Context, request: FastifyRequest): Promise<Answer> {
  if (request.isMultipart()) return createManaged(platform, owner, request);
  if (isJson(request)) return createOnPremise(platform, owner, request);
  throw new Problem(
    'unsupported-media-type',
    'Send multipart/form-data with the parts name and source (the ZIP); or JSON for an on-premise service.',
  );
}

/** From text parts first, then the ZIP or the BPMN file. All or nothing: when a part is wrong, neither a service nor an upload stays. */
async function createManaged(platform: Platform, owner: Context, request: FastifyRequest): Promise<Answer> {
  const { form, source } = await readServiceForm(platform, request, formOf, null);
  const row = serviceRow(platform, owner, form.type ?? 'MANAGED', form);
  try {
    const body = JSON.stringify([form, source.digest]);
    const replace: Replace = async (transaction, failed) => {
      if ('problems' in source) throw new Error('A workflow has no build that could fail');
      const { configuration, version = failed.version } = form;
      await replaceFailed(platform, transaction, failed.service_id, failed, { source, configuration, version });
    };
    const isManaged = !('problems' in source);
    const add = async (transaction: Queries): Promise<void> => {
      const { version = '1.0.0', configuration = defaultConfiguration, applicationId = null } = form;
      if ('problems' in source) {
        if (applicationId !== null) await requireApplication(transaction, owner, applicationId);
        await insertWorkflowDraft(platform, transaction, row.id, version, source, applicationId);
      } else {
        await requireRuntime(transaction, configuration, '/configuration');
        await insertDraft(platform, transaction, row.id, version, source, configuration);
      }
    };
    const answer = await insert(platform, owner, request, row, body, add, isManaged ? replace : null);
    buildPending(platform.database);
    return answer;
  } finally {
    // Unless this very request has made the service: it may have failed, or have been a repeated one.
    await removeUnused(platform.database, platform.blobs, [source.blob]);
  }
}

async function createOnPremise(platform: Platform, owner: Context, request: FastifyRequest): Promise<Answer> {
  const body = bodyOf(request.body);
  const target = targetColumns(platform, body.target, null, '/target');
  const row = serviceRow(platform, owner, body.type, body);
  return insert(platform, owner, request, row, withoutPassword(body), (transaction) =>
    insertOnPremiseDraft(platform, transaction, row.id, '1.0.0', target),
  );
}

function serviceRow(
  platform: Platform,
  owner: Context,
  type: ServiceRow['type'],
  { name, description = '' }: { readonly name: string; readonly description?: string },
): ServiceRow {
  return {
    id: platform.newId(),
    owner_type: owner.type,
    owner_id: owner.id,
    name: name.trim(),
    slug: slugOf(name),
    type,
    description,
    created_at: platform.now(),
    revision: 1,
    stored_bytes: 0,
  };
}

/**
 * Inserts a service and what `insertVersion` adds to it. `body` is what makes two requests the same. A service of that name
 * whose first upload could not be built is no obstacle: `replace` puts this upload into its place.
 */
async function insert(
  platform: Platform,
  owner: Context,
  request: FastifyRequest,
  row: ServiceRow,
  body: string,
  insertVersion: (transaction: Queries) => Promise<unknown>,
  replace: Replace | null = null,
): Promise<Answer> {
  try {
    const scope = serviceAnswersOf(owner);
    return await once(platform, request, scope, body, async (transaction) => {
      await holdOwner(platform, transaction, owner);
      const before = replace && (await failedFirst(transaction, owner, row));
      if (replace && before) return await again(platform, transaction, row, before, replace);
      await requireFreeAddress(transaction, row.owner_id, row.slug, row.id);
      await insertService(transaction, row);
      await insertVersion(transaction);
      const versions = await newestVersions(transaction, [row.id]);
      const location = `${platform.addresses.api}/services/${row.id}`;
      return { status: 201, body: presentService(row, versions, platform), headers: { location } };
    });
  } catch (error) {
    if (isDuplicate(error)) {
      throw new Problem(
        'conflict',
        `You already have a service whose name becomes "${row.slug}" in its address. Choose another name, or add a version to that service.`,
      );
    }
    throw error;
  }
}

interface FailedFirst {
  readonly service: ServiceRow;
  readonly draft: VersionWithBuild;
}

/** A managed service of the same address that has nothing but a draft whose build has failed; null otherwise. */
async function failedFirst(transaction: Queries, owner: Context, { slug }: ServiceRow): Promise<FailedFirst | null> {
  const known = await transaction
    .selectFrom('services')
    .select('id')
    .where('owner_type', '=', owner.type)
    .where('owner_id', '=', owner.id)
    .where('slug', '=', slug)
    .where('type', '=', 'MANAGED')
    .executeTakeFirst();
  const service = known && (await findService(transaction, owner, known.id));
  const versions = service ? await newestVersions(transaction, [service.id]) : [];
  const [draft] = versions;
  const isFailed = versions.length === 1 && draft?.state === 'DRAFT' && draft.build_status === 'FAILED';
  return service && isFailed ? { service, draft } : null;
}

/** The service keeps its id, and gets name, description and upload of the request. */
async function again(
  platform: Platform,
  transaction: Queries,
  { name, description }: ServiceRow,
  { service, draft }: FailedFirst,
  replace: Replace,
): Promise<Answer> {
  const values = { name, description, revision: service.revision + 1 };
  await transaction.updateTable('services').set(values).where('id', '=', service.id).execute();
  await replace(transaction, draft, draft.version);
  const versions = await newestVersions(transaction, [service.id]);
  const location = `${platform.addresses.api}/services/${service.id}`;
  return { status: 201, body: presentService({ ...service, ...values }, versions, platform), headers: { location } };
}
