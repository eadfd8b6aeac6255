import { AddVersionForm, defaultConfiguration, type RuntimeConfiguration } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { Problem, type Answer } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { noteUnused, removeUnused, type Queries, type ServiceRow } from '../../foundation/storage/index.ts';
import { copySpecification } from './api-specification.ts';
import { buildPending } from './builds/index.ts';
import { buildAnew } from './change-versions.ts';
import { addOnPremiseVersion } from './on-premise.ts';
import { newestVersions, type VersionWithBuild } from './queries.ts';
import { requireRuntime } from './resources.ts';
import { readServiceForm } from './service-form.ts';
import { shapeOf } from './shapes.ts';
import { slugOf } from './slug.ts';
import { storeSource, type Source } from './source.ts';
import { uploadOf } from './upload.ts';
import { useSource } from './use-source.ts';
import { insertDraft, requireService, sourceColumns } from './versions.ts';
import { addWorkflowVersion, bpmnOf, type NewWorkflow } from './workflow-versions.ts';
import { storeWorkflow } from './workflow/index.ts';
import { addUploadedDraft } from './write-versions.ts';

const formOf = shapeOf(AddVersionForm, 'form');

/**
 * Adds the next version as a draft: from a ZIP, a BPMN file, the form that makes a service, or a target. What the upload does
 * not say is as in the newest version. One draft at a time; one whose build has failed is replaced.
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
  const number = wanted ?? upload.form.version;
  const next = { owner, serviceId, wanted: number, request, content: contentOf(upload) };
  if ('problems' in upload.source) {
    const { source } = upload;
    return addWorkflowVersion(platform, { ...upload, source }, next);
  }
  const { source, form } = upload;
  const replace = (transaction: Queries, failed: VersionWithBuild, version: string): Promise<void> =>
    replaceFailed(platform, transaction, serviceId, failed, { source, configuration: form.configuration, version });
  const answer = await addUploadedDraft(
    platform,
    source.blob,
    next,
    async (transaction, version) => {
      const [newest] = await newestVersions(transaction, [serviceId]);
      const configuration = form.configuration ?? configurationOf(newest);
      await requireRuntime(transaction, configuration, '/configuration');
      const { versionId } = await insertDraft(platform, transaction, serviceId, version, source, configuration);
      if (newest) await copySpecification(transaction, newest.id, versionId);
    },
    replace,
  );
  buildPending(platform.database);
  return answer;
}

type Upload = Omit<NewWorkflow, 'source'> & { readonly source: Source | NewWorkflow['source'] };

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
  await removeUnused(platform.database, platform.blobs, [upload.source.blob]);
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

function configurationOf(version: VersionWithBuild | undefined): RuntimeConfiguration {
  return version ? (JSON.parse(version.configuration) as RuntimeConfiguration) : defaultConfiguration;
}

interface Replacement {
  readonly source: Source;
  /** Absent: as it was. */
  readonly configuration?: RuntimeConfiguration | undefined;
  readonly version: string;
}

/** Puts another upload into the place of a draft that could not be built, and builds it, inside a transaction. */
export async function replaceFailed(
  platform: Platform,
  transaction: Queries,
  serviceId: string,
  failed: VersionWithBuild,
  { source, version, ...wanted }: Replacement,
): Promise<void> {
  const configuration = wanted.configuration ?? configurationOf(failed);
  await requireRuntime(transaction, configuration, '/configuration');
  const anew = await buildAnew(platform, transaction, failed.id);
  await useSource(platform, transaction, serviceId, source, failed.source_bytes);
  const { runtime } = configuration;
  await transaction
    .updateTable('service_versions')
    .set({
      ...anew,
      ...sourceColumns(source),
      version,
      runtime,
      configuration: JSON.stringify(configuration),
      revision: failed.revision + 1,
    })
    .where('id', '=', failed.id)
    .execute();
  await noteUnused(transaction, failed.source_blob, platform.now());
}
