import { CreateOnPremiseServiceRequest, CreateServiceForm } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { once, Problem, type Answer } from '../../foundation/http/index.ts';
import { targetColumns } from '../on-premise/index.ts';
import { holdOwner } from '../../people/organizations/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { isDuplicate, removeOrphans, type Queries, type ServiceRow } from '../../foundation/storage/index.ts';
import { buildPending } from './builds/index.ts';
import { serviceAnswersOf } from './catalog.ts';
import { deleteDraft, draftWriterOf, isFailedDraft, onPremiseDraft, type DraftWriter } from './draft-writers.ts';
import { isJson, withoutPassword } from './on-premise.ts';
import { presentService } from './present.ts';
import { findService, insertService, newestVersions, type VersionWithBuild } from './queries.ts';
import { shapeOf } from './shapes.ts';
import { slugOf } from './slug.ts';
import { readServiceForm } from './service-form.ts';
import { requireFreeAddress } from './transfer.ts';

const formOf = shapeOf(CreateServiceForm, 'form');
const bodyOf = shapeOf(CreateOnPremiseServiceRequest, 'body');
const FIRST_VERSION = '1.0.0';

/** Creates a service with its first draft version: a managed one or a workflow from a form, one that runs elsewhere from JSON. */
export function createService(platform: Platform, owner: Context, request: FastifyRequest): Promise<Answer> {
  if (request.isMultipart()) return createFromForm(platform, owner, request);
  if (isJson(request)) return createOnPremise(platform, owner, request);
  throw new Problem(
    'unsupported-media-type',
    'Send multipart/form-data with the parts name and source (the ZIP); or JSON for an on-premise service.',
  );
}

/** From text parts first, then the ZIP or the BPMN file. All or nothing: when a part is wrong, neither a service nor an upload stays. */
async function createFromForm(platform: Platform, owner: Context, request: FastifyRequest): Promise<Answer> {
  const upload = await readServiceForm(platform, request, formOf, null);
  const { form, source } = upload;
  try {
    const answer = await create(platform, owner, request, {
      row: serviceRow(platform, owner, form.type ?? 'MANAGED', form),
      version: form.version,
      content: JSON.stringify([form, source.digest]),
      writer: draftWriterOf(platform, owner, upload),
    });
    buildPending(platform.database);
    return answer;
  } finally {
    // Unless this very request has made the service: it may have failed, or have been a repeated one.
    await removeOrphans(platform.database, platform.blobs, [source.blob]);
  }
}

async function createOnPremise(platform: Platform, owner: Context, request: FastifyRequest): Promise<Answer> {
  const body = bodyOf(request.body);
  const target = targetColumns(platform, body.target, null, '/target');
  return create(platform, owner, request, {
    row: serviceRow(platform, owner, body.type, body),
    version: undefined,
    content: withoutPassword(body),
    writer: onPremiseDraft(platform, target),
  });
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

interface NewService {
  readonly row: ServiceRow;
  /** The number of its first version, if one was chosen. */
  readonly version: string | undefined;
  /** What makes two requests the same. */
  readonly content: string;
  readonly writer: DraftWriter;
}

/** Writes a service with its first version. A service of that name whose first upload has failed is replaced and keeps its id. */
async function create(
  platform: Platform,
  owner: Context,
  request: FastifyRequest,
  { row, version, content, writer }: NewService,
): Promise<Answer> {
  try {
    return await once(
      platform,
      request.headers['idempotency-key'],
      serviceAnswersOf(owner),
      content,
      async (transaction) => {
        await holdOwner(platform, transaction, owner);
        const failed = await failedFirst(transaction, owner, row);
        if (!failed) {
          await requireFreeAddress(transaction, row.owner_id, row.slug, row.id);
          await insertService(transaction, row);
          await writer.insert(transaction, row.id, version ?? FIRST_VERSION, undefined);
          return created(platform, transaction, row);
        }
        const { service, draft } = failed;
        const { name, description, type } = row;
        const values = { name, description, type, revision: service.revision + 1 };
        await transaction.updateTable('services').set(values).where('id', '=', service.id).execute();
        if (type === service.type && writer.replace) await writer.replace(transaction, draft, version ?? draft.version);
        else {
          await deleteDraft(platform, transaction, draft);
          await writer.insert(transaction, service.id, version ?? draft.version, undefined);
        }
        return created(platform, transaction, { ...service, ...values });
      },
    );
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

async function created(platform: Platform, transaction: Queries, row: ServiceRow): Promise<Answer> {
  const versions = await newestVersions(transaction, [row.id]);
  const location = `${platform.addresses.api}/services/${row.id}`;
  return { status: 201, body: presentService(row, versions, platform), headers: { location } };
}

interface FailedFirst {
  readonly service: ServiceRow;
  readonly draft: VersionWithBuild;
}

/** A service of the same address that has nothing but a draft that has failed; null otherwise. */
async function failedFirst(transaction: Queries, owner: Context, { slug }: ServiceRow): Promise<FailedFirst | null> {
  const known = await transaction
    .selectFrom('services')
    .select('id')
    .where('owner_type', '=', owner.type)
    .where('owner_id', '=', owner.id)
    .where('slug', '=', slug)
    .executeTakeFirst();
  const service = known && (await findService(transaction, owner, known.id));
  const versions = service ? await newestVersions(transaction, [service.id]) : [];
  const [draft] = versions;
  return service && draft && versions.length === 1 && isFailedDraft(draft) ? { service, draft } : null;
}
