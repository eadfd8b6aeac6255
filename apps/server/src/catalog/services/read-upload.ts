import {
  AddOnPremiseVersionRequest,
  AddVersionForm,
  CreateOnPremiseServiceRequest,
  CreateServiceForm,
} from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { removeOrphans, type ServiceRow } from '../../foundation/storage/index.ts';
import { targetColumns } from '../on-premise/index.ts';
import type { NewVersion } from './add-version.ts';
import type { NewService } from './create-service.ts';
import { draftWriterOf, onPremiseDraft, type Upload } from './draft-writers.ts';
import { readServiceForm } from './service-form.ts';
import { shapeOf } from './shapes.ts';
import { slugOf } from './slug.ts';
import { storeSource } from './source.ts';
import { uploadOf } from './upload.ts';
import { requireService } from './versions.ts';
import { bpmnOf } from './workflow-versions.ts';
import { storeWorkflow } from './workflow/index.ts';

const serviceFormOf = shapeOf(CreateServiceForm, 'form');
const versionFormOf = shapeOf(AddVersionForm, 'form');
const serviceOf = shapeOf(CreateOnPremiseServiceRequest, 'body');
const versionOf = shapeOf(AddOnPremiseVersionRequest, 'body');

/**
 * Reads the request for a new service. It is a form with text parts first and then the ZIP or the BPMN file, or JSON
 * for an on-premise service. The file is stored. It is removed unless `act` refers to it.
 */
export async function withNewService<T>(
  platform: Platform,
  owner: Context,
  request: FastifyRequest,
  act: (service: NewService) => Promise<T>,
): Promise<T> {
  if (request.isMultipart()) {
    const upload = await readServiceForm(platform, request, serviceFormOf, null);
    const { form, source } = upload;
    const { name, description, version, type = 'MANAGED' } = form;
    const content = JSON.stringify([form, source.digest]);
    const writer = draftWriterOf(platform, owner, upload);
    return withSource(platform, upload, () => act({ type, name, description, version, content, writer }));
  }
  if (!isJson(request))
    throw new Problem(
      'unsupported-media-type',
      'Send multipart/form-data with the parts name and source (the ZIP); or JSON for an on-premise service.',
    );
  const body = serviceOf(request.body);
  const { type, name, description } = body;
  const writer = onPremiseDraft(platform, targetColumns(platform, body.target, null, '/target'));
  return act({ type, name, description, version: undefined, content: withoutPassword(body), writer });
}

/** Reads the next version of a service: a ZIP, a BPMN file, a form, or a target. `wanted` is its number. */
export async function withNewVersion<T>(
  platform: Platform,
  owner: Context,
  { serviceId, wanted }: { readonly serviceId: string; readonly wanted: string | undefined },
  request: FastifyRequest,
  act: (version: NewVersion) => Promise<T>,
): Promise<T> {
  const service = await requireService(platform.database.read, owner, serviceId);
  if (service.type === 'ON_PREMISE') {
    if (!isJson(request))
      throw new Problem('unsupported-media-type', 'Send {"target": {"url": …}} with Content-Type: application/json.');
    const body = versionOf(request.body);
    // A version has its own credentials: none are copied from the version before.
    const writer = onPremiseDraft(platform, targetColumns(platform, body.target, null, '/target'));
    return act({ version: wanted, content: withoutPassword(body), writer });
  }
  const upload = await readFiles(platform, service, request);
  const version = wanted ?? upload.form.version;
  const writer = draftWriterOf(platform, owner, upload);
  return withSource(platform, upload, () => act({ version, content: contentOf(upload), writer }));
}

/**
 * Removes the file afterwards, unless a version refers to it: the request may have failed, or repeated an earlier one.
 */
async function withSource<T>({ database, blobs }: Platform, { source }: Upload, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } finally {
    await removeOrphans(database, blobs, [source.blob]);
  }
}

function isJson({ headers }: FastifyRequest): boolean {
  return /^application\/json *(;|$)/i.test(headers['content-type'] ?? '');
}

/**
 * The text by which requests are compared. It has no password, which could be guessed from the stored digest of the
 * text.
 */
function withoutPassword(body: CreateOnPremiseServiceRequest | AddOnPremiseVersionRequest): string {
  const { credentials } = body.target;
  return JSON.stringify({ ...body, target: { ...body.target, credentials: credentials && credentials.username } });
}

/** Reads a form, or a file alone. Throws the problems of either. */
async function readFiles(platform: Platform, service: ServiceRow, request: FastifyRequest): Promise<Upload> {
  if (!request.isMultipart())
    return {
      form: {},
      source:
        service.type === 'WORKFLOW'
          ? await storeWorkflow(platform, bpmnOf(request))
          : await storeSource(platform, uploadOf(request)),
    };
  const upload = await readServiceForm(platform, request, versionFormOf, service.type);
  const { name } = upload.form;
  if (name === undefined || slugOf(name) === service.slug || name.trim() === service.name) return upload;
  await removeOrphans(platform.database, platform.blobs, [upload.source.blob]);
  throw new Problem(
    'invalid-request',
    `The service is named ${service.name}. Leave out the part "name", or change it with PATCH first.`,
    { errors: [{ pointer: '/name', detail: `must be ${service.name}` }] },
  );
}

/** The text by which requests are compared, without the version number. */
function contentOf({ form, source }: Upload): string {
  const { version: _version, ...rest } = form;
  return Object.keys(rest).length === 0 ? source.digest : JSON.stringify([rest, source.digest]);
}
