import { etag, Problem, requireMatch, type Tagged } from '../../foundation/http/index.ts';
import { serviceEndpoint, type Platform } from '../../foundation/platform.ts';
import { digestOf, type Queries, type ServiceRow } from '../../foundation/storage/index.ts';
import { findSpecified, type VersionRow } from './queries.ts';
import {
  documentOf,
  installed,
  readJson,
  unknownSignature,
  type JsonObject,
  type ValidationError,
} from '@kethub/service-api/specification';
import { judgeDocument } from './specification/index.ts';
import { describedWorkflow, requirementsIn } from './workflow/index.ts';
import { requireDraft, requireManagedVersion, requireSourceVersion, type VersionRef } from './versions.ts';

export const yamlMedia = ['application/yaml', 'application/x-yaml', 'text/yaml', 'application/openapi+yaml'] as const;
const textMedia = 'application/json; charset=utf-8';

/**
 * The API specification of a version: the uploaded one, else one derived from the code, else the template.
 */
export async function readSpecification(platform: Platform, at: VersionRef): Promise<Tagged<string>> {
  const { service, row } = await requireSourceVersion(platform.database.read, at);
  const endpoint = serviceEndpoint(platform.addresses, service.owner_id, service.slug, at.version);
  return tagged(apiSpecificationOf(platform, service, row, endpoint.slice(0, -1)));
}

/**
 * {@link readSpecification} for a subscriber, who calls the service at `endpoint`. Throws not-found for an on-premise
 * service.
 */
export async function subscribersSpecification(
  platform: Platform,
  serviceId: string,
  versionId: string,
  endpoint: string,
): Promise<Tagged<string>> {
  const row = await findSpecified(platform.database.read, serviceId, versionId);
  if (row) return tagged(apiSpecificationOf(platform, row, row, endpoint));
  throw new Problem('not-found', 'This service runs elsewhere: its operations are those of its provider.');
}

/** The document of a version without the addresses of the installation. Null for an on-premise service. */
export async function specificationFor(
  queries: Queries,
  serviceId: string,
  versionId: string,
): Promise<JsonObject | null> {
  const row = await findSpecified(queries, serviceId, versionId);
  return row ? ownDocument(row, row) : null;
}

/** Uploads an OpenAPI document for a draft. Throws invalid-api-specification with all errors. */
export async function uploadSpecification(
  platform: Platform,
  at: VersionRef,
  body: unknown,
  ifMatch: string | undefined,
): Promise<string> {
  requireDraft((await requireManagedVersion(platform.database.read, at)).row);
  const document = await documentIn(body);
  return change(platform, at, ifMatch, async (transaction, row) => {
    await transaction
      .insertInto('api_specifications')
      .values({ service_version_id: row.id, document })
      .onConflict((conflict) => conflict.column('service_version_id').doUpdateSet({ document }))
      .execute();
    return document;
  });
}

/** Deletes the uploaded document of a draft. One derived from the code, or the template, takes its place. */
export async function deleteSpecification(
  platform: Platform,
  at: VersionRef,
  ifMatch: string | undefined,
): Promise<string> {
  return change(platform, at, ifMatch, async (transaction, row) => {
    await transaction.deleteFrom('api_specifications').where('service_version_id', '=', row.id).execute();
    return null;
  });
}

/** Copies the uploaded document of the newest version to the next one. */
export async function copySpecification(transaction: Queries, from: string, to: string): Promise<void> {
  await transaction
    .insertInto('api_specifications')
    .columns(['service_version_id', 'document'])
    .expression((query) =>
      query
        .selectFrom('api_specifications')
        .select((is) => [is.val(to).as('service_version_id'), 'document'])
        .where('service_version_id', '=', from),
    )
    .execute();
}

/** The document as JSON, with the addresses of the installation. The reader calls the service at `endpoint`. */
function apiSpecificationOf(
  { addresses }: Platform,
  service: Described,
  row: Pick<VersionRow, 'version' | 'specification' | 'derived_schemas' | 'workflow_requirements'>,
  endpoint: string,
): string {
  const tokenEndpoint = `${addresses.gateway}/token`;
  return JSON.stringify(installed(ownDocument(service, row), { endpoint, tokenEndpoint, version: row.version }));
}

/** The uploaded document, else the one derived from the code or the workflow. */
function ownDocument(service: Described, row: Parameters<typeof apiSpecificationOf>[2]): JsonObject {
  return row.specification === null ? described(service, row) : stored(row.specification);
}

type Described = Pick<ServiceRow, 'name' | 'description' | 'type'>;

function described(
  { name: title, description, type }: Described,
  row: Pick<VersionRow, 'version' | 'derived_schemas' | 'workflow_requirements'>,
) {
  const derived =
    row.derived_schemas === null ? unknownSignature : stored<typeof unknownSignature>(row.derived_schemas);
  const own =
    type === 'WORKFLOW' ? describedWorkflow(requirementsIn({ requirements: row.workflow_requirements })) : derived;
  return documentOf({ title, description, version: row.version, ...own });
}

/** Parses JSON of a row, which this program validated when it wrote it. */
function stored<T = JsonObject>(document: string): T {
  return JSON.parse(document) as T;
}

function tagged(body: string): Tagged<string> {
  return { body, tag: tagOf(body) };
}

function tagOf(text: string): string {
  return etag(digestOf(text).slice(0, 32));
}

async function change(
  platform: Platform,
  at: VersionRef,
  ifMatch: string | undefined,
  store: (transaction: Queries, row: VersionRow) => Promise<string | null>,
): Promise<string> {
  return platform.database.write(async (transaction) => {
    const { service, row } = await requireManagedVersion(transaction, at);
    requireDraft(row);
    const endpoint = serviceEndpoint(platform.addresses, service.owner_id, service.slug, at.version).slice(0, -1);
    requireMatch(ifMatch, tagOf(apiSpecificationOf(platform, service, row, endpoint)));
    const specification = await store(transaction, row);
    const revision = row.revision + 1;
    await transaction.updateTable('service_versions').set({ revision }).where('id', '=', row.id).execute();
    return apiSpecificationOf(platform, service, { ...row, specification }, endpoint);
  });
}

/** The headers of a specification: its ETag and its media type. */
export function specificationHeaders(text: string): { readonly etag: string; readonly 'content-type': string } {
  return { etag: tagOf(text), 'content-type': textMedia };
}

/** Reads and validates the document in the body. Returns it as JSON. */
async function documentIn(body: unknown): Promise<string> {
  if (body === undefined || body === '')
    throw new Problem(
      'invalid-request',
      'The body is empty. Send the document; or remove an uploaded one with DELETE, and the default applies again.',
    );
  const judged = await judgeDocument(typeof body === 'string' ? { text: body, form: 'YAML' } : asText(body));
  if (judged === null)
    throw new Problem('too-many-requests', 'Other specifications are being checked. Try again in a moment.', {
      headers: { 'retry-after': '15' },
    });
  if (!judged.ok) throw refused(judged.errors);
  return judged.document;
}

function asText(body: unknown): { text: string; form: 'JSON' } {
  const read = readJson(body);
  if (!read.ok) throw refused(read.errors);
  return { text: JSON.stringify(read.document), form: 'JSON' };
}

function refused(errors: readonly ValidationError[]): Problem {
  const sentences = errors
    .slice(0, 3)
    .map(({ pointer, detail }) => `${pointer || 'The document'} ${detail}`)
    .join('; ');
  const more = errors.length > 3 ? `; and ${errors.length - 3} more` : '';
  return new Problem(
    'invalid-api-specification',
    `The document cannot be the API specification: ${sentences}${more}.`,
    {
      errors: [...errors],
    },
  );
}
