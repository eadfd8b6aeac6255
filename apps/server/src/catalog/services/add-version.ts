import { AddVersionForm } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { Problem, type Answer } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { removeOrphans, type ServiceRow } from '../../foundation/storage/index.ts';
import { addDraft } from './add-draft.ts';
import { buildPending } from './builds/index.ts';
import { draftWriterOf, type Upload } from './draft-writers.ts';
import { addOnPremiseVersion } from './on-premise.ts';
import { readServiceForm } from './service-form.ts';
import { shapeOf } from './shapes.ts';
import { slugOf } from './slug.ts';
import { storeSource } from './source.ts';
import { uploadOf } from './upload.ts';
import { requireService } from './versions.ts';
import { bpmnOf } from './workflow-versions.ts';
import { storeWorkflow } from './workflow/index.ts';

const formOf = shapeOf(AddVersionForm, 'form');

/**
 * Adds the next version as a draft: from a ZIP, a BPMN file, the form that makes a service, or a target. What the upload does
 * not say is as in the newest version. One draft at a time; one that has failed is replaced.
 */
export async function addVersion(
  platform: Platform,
  owner: Context,
  serviceId: string,
  wanted: string | undefined,
  request: FastifyRequest,
): Promise<Answer> {
  const service = await requireService(platform.database.read, owner, serviceId);
  if (service.type === 'ON_PREMISE') return addOnPremiseVersion(platform, owner, serviceId, wanted, request);
  const upload = await readUpload(platform, service, request);
  const { blob } = upload.source;
  const next = { owner, serviceId, wanted: wanted ?? upload.form.version, request, content: contentOf(upload) };
  try {
    const answer = await addDraft(platform, next, draftWriterOf(platform, owner, upload));
    buildPending(platform.database);
    return answer;
  } finally {
    // Unless this very request has added the version.
    await removeOrphans(platform.database, platform.blobs, [blob]);
  }
}

/** From a form, or a file alone. Throws what is wrong with either. */
async function readUpload(platform: Platform, service: ServiceRow, request: FastifyRequest): Promise<Upload> {
  if (!request.isMultipart())
    return {
      form: {},
      source:
        service.type === 'WORKFLOW'
          ? await storeWorkflow(platform, bpmnOf(request))
          : await storeSource(platform, uploadOf(request)),
    };
  const upload = await readServiceForm(platform, request, formOf, service.type);
  const { name } = upload.form;
  if (name === undefined || slugOf(name) === service.slug || name.trim() === service.name) return upload;
  await removeOrphans(platform.database, platform.blobs, [upload.source.blob]);
  throw new Problem(
    'invalid-request',
    `The service is named ${service.name}. Leave out the part "name", or change it with PATCH first.`,
    { errors: [{ pointer: '/name', detail: `must be ${service.name}` }] },
  );
}

/** What makes two requests the same, beside the number. */
function contentOf({ form, source }: Upload): string {
  const { version: _version, ...rest } = form;
  return Object.keys(rest).length === 0 ? source.digest : JSON.stringify([rest, source.digest]);
}
