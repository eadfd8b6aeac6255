import { CreateOnPremiseServiceRequest, CreateServiceForm, defaultConfiguration, limits } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { once, Problem, readJson, type Answer } from '../http/index.ts';
import { targetColumns } from '../on-premise/index.ts';
import { holdOwner } from '../organizations/index.ts';
import type { Context, Platform } from '../platform.ts';
import { isDuplicate, removeUnused, type Queries, type ServiceRow } from '../storage/index.ts';
import { buildPending } from './builds/index.ts';
import { serviceAnswersOf } from './catalog.ts';
import { insertOnPremiseDraft, isJson, withoutPassword } from './on-premise.ts';
import { presentService } from './present.ts';
import { insertService, newestVersions } from './queries.ts';
import { shapeOf } from './shapes.ts';
import { slugOf } from './slug.ts';
import { storeSource, type Source } from './source.ts';
import { requireHosts } from './hosts.ts';
import { requireEnvironment, requireRuntime } from './resources.ts';
import { readParts } from './upload.ts';
import { requireFreeAddress } from './transfer.ts';
import { insertDraft } from './versions.ts';
import { insertWorkflowDraft, requireApplication } from './workflow-versions.ts';
import { storeWorkflow, type WorkflowSource } from './workflow/index.ts';

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
  const { form, source } = await readForm(platform, request);
  const row = serviceRow(platform, owner, form.type ?? 'MANAGED', form);
  try {
    const body = JSON.stringify([form, source.digest]);
    const answer = await insert(platform, owner, request, row, body, async (transaction) => {
      const { version = '1.0.0', configuration = defaultConfiguration, applicationId = null } = form;
      if ('problems' in source) {
        if (applicationId !== null) await requireApplication(transaction, owner, applicationId);
        await insertWorkflowDraft(platform, transaction, row.id, version, source, applicationId);
      } else {
        await requireRuntime(transaction, configuration, '/configuration');
        await insertDraft(platform, transaction, row.id, version, source, configuration);
      }
    });
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

/** Inserts a service and what `insertVersion` adds to it. `body` is what makes two requests the same. */
async function insert(
  platform: Platform,
  owner: Context,
  request: FastifyRequest,
  row: ServiceRow,
  body: string,
  insertVersion: (transaction: Queries) => Promise<unknown>,
): Promise<Answer> {
  try {
    const scope = serviceAnswersOf(owner);
    return await once(platform, request, scope, body, async (transaction) => {
      await holdOwner(platform, transaction, owner);
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

async function readForm(
  platform: Platform,
  request: FastifyRequest,
): Promise<{ form: CreateServiceForm; source: Source | WorkflowSource }> {
  const fields: Record<string, unknown> = {};
  const found: { source: Source | WorkflowSource | null } = { source: null };
  try {
    await readParts(request, async (part) => {
      if (part.type === 'field')
        fields[part.fieldname] = part.fieldname === 'configuration' ? await parseConfiguration(part.value) : part.value;
      else if (part.fieldname === 'source' && !found.source) {
        found.source = await (fields['type'] === 'WORKFLOW' ? storeWorkflow : storeSource)(platform, part.file);
        if (part.file.truncated)
          throw new Problem('too-large', `The upload may have at most ${limits.sourceArchiveBytes} bytes.`);
      } else
        throw new Problem(
          'invalid-request',
          `Unexpected file part "${part.fieldname}". What is uploaded goes into the part "source".`,
          { errors: [{ pointer: `/${part.fieldname}`, detail: 'is not expected' }] },
        );
    });
    const form = checkForm(fields);
    if (form.type === 'WORKFLOW' && found.source && !('problems' in found.source))
      throw new Problem('invalid-request', 'The part "type" has to come before the part "source".');
    if (!found.source)
      throw new Problem(
        'invalid-request',
        'The part "source" with the ZIP, or the BPMN file of a workflow, is missing.',
        {
          errors: [{ pointer: '/source', detail: 'is missing' }],
        },
      );
    return { form, source: found.source };
  } catch (error) {
    if (found.source) await removeUnused(platform.database, platform.blobs, [found.source.blob]);
    throw error;
  }
}

async function parseConfiguration(value: unknown): Promise<unknown> {
  try {
    return await readJson(Buffer.from(String(value)));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const detail = error.errors?.[0]?.detail ?? 'is not JSON';
    throw new Problem('invalid-request', `The part "configuration" is refused: ${detail}.`, {
      errors: [{ pointer: '/configuration', detail }],
    });
  }
}

function checkForm(fields: Record<string, unknown>): CreateServiceForm {
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string' && value.includes('\0'))
      throw new Problem('invalid-request', `The part "${name}" holds the character U+0000, which cannot be stored.`);
  }
  const form = formOf(fields);
  if (form.configuration) {
    requireEnvironment(form.configuration, '/configuration');
    requireHosts(form.configuration, '/configuration');
  }
  requireFitting(form);
  return form;
}

/** What only one type of service has. */
function requireFitting({ type = 'MANAGED', configuration, applicationId }: CreateServiceForm): void {
  const wrong =
    type === 'WORKFLOW' ? configuration && '/configuration' : applicationId !== undefined && '/applicationId';
  if (!wrong) return;
  const detail = type === 'WORKFLOW' ? 'is only for services whose code runs here' : 'is only for workflow services';
  throw new Problem('invalid-request', `The part ${wrong} ${detail}.`, { errors: [{ pointer: wrong, detail }] });
}
