import { CreateServiceForm, defaultConfiguration } from '@kethub/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyRequest } from 'fastify';
import { once, Problem, type Answer } from '../http/index.ts';
import { holdOwner } from '../organizations/index.ts';
import type { Context, Platform } from '../platform.ts';
import { isDuplicate, type ServiceRow } from '../storage/index.ts';
import { buildPending } from './builds.ts';
import { serviceAnswersOf } from './catalog.ts';
import { presentService } from './present.ts';
import { insertService, versionsOf } from './queries.ts';
import { slugOf } from './slug.ts';
import { storeSource, type Source } from './source.ts';
import { readParts } from './upload.ts';
import { requireFreeAddress } from './transfer.ts';
import { insertDraft } from './versions.ts';

const ajv = new Ajv2020({ strict: false, useDefaults: true });
const validForm = ajv.compile<CreateServiceForm>(JSON.parse(JSON.stringify(CreateServiceForm)) as object);

/**
 * Creates a service with its first draft version from a multipart form: text parts first, then the ZIP. All or nothing:
 * when a part is wrong, neither a service nor an upload stays.
 */
export async function createService(platform: Platform, owner: Context, request: FastifyRequest): Promise<Answer> {
  const { form, source } = await readForm(platform, request);
  const now = platform.now();
  const row: ServiceRow = {
    id: platform.newId(),
    owner_type: owner.type,
    owner_id: owner.id,
    name: form.name.trim(),
    slug: slugOf(form.name),
    type: 'MANAGED',
    description: form.description ?? '',
    created_at: now,
    revision: 1,
  };
  const body = JSON.stringify([form, source.digest]);
  const scope = serviceAnswersOf(owner);
  let created = false;
  try {
    const answer = await once(platform, request, scope, body, async (transaction) => {
      await holdOwner(platform, transaction, owner);
      await requireFreeAddress(transaction, row.owner_id, row.slug, row.id);
      await insertService(transaction, row);
      await insertDraft(platform, transaction, row.id, '1.0.0', source, form.configuration ?? defaultConfiguration);
      const versions = await versionsOf(transaction, [row.id]);
      const location = `${platform.addresses.api}/services/${row.id}`;
      return { status: 201, body: presentService(row, versions, platform.addresses), headers: { location } };
    });
    created = answer.headers?.['location']?.endsWith(row.id) ?? false;
    buildPending(platform.database);
    return answer;
  } catch (error) {
    if (isDuplicate(error)) {
      throw new Problem(
        'conflict',
        `You already have a service whose name becomes "${row.slug}" in its address. Choose another name, or add a version to that service.`,
      );
    }
    throw error;
  } finally {
    if (!created) await platform.blobs.remove(source.blob);
  }
}

async function readForm(
  platform: Platform,
  request: FastifyRequest,
): Promise<{ form: CreateServiceForm; source: Source }> {
  if (!request.isMultipart())
    throw new Problem('unsupported-media-type', 'Send multipart/form-data with the parts name and source (the ZIP).');
  const fields: Record<string, unknown> = {};
  const found: { source: Source | null } = { source: null };
  try {
    await readParts(request, async (part) => {
      if (part.type === 'field')
        fields[part.fieldname] = part.fieldname === 'configuration' ? parseConfiguration(part.value) : part.value;
      else if (part.fieldname === 'source' && !found.source) {
        found.source = await storeSource(platform, part.file);
        if (part.file.truncated) throw new Problem('too-large', 'The ZIP is larger than the limit.');
      } else
        throw new Problem(
          'invalid-request',
          `Unexpected file part "${part.fieldname}". The ZIP goes into the part "source".`,
          { errors: [{ pointer: `/${part.fieldname}`, detail: 'is not expected' }] },
        );
    });
    const form = checkForm(fields);
    if (!found.source)
      throw new Problem('invalid-request', 'The part "source" with the ZIP is missing.', {
        errors: [{ pointer: '/source', detail: 'is missing' }],
      });
    return { form, source: found.source };
  } catch (error) {
    if (found.source) await platform.blobs.remove(found.source.blob);
    throw error;
  }
}

function parseConfiguration(value: unknown): unknown {
  try {
    return JSON.parse(String(value));
  } catch (error) {
    throw new Problem('invalid-request', 'The part "configuration" is not JSON.', {
      errors: [{ pointer: '/configuration', detail: error instanceof Error ? error.message : 'is not JSON' }],
    });
  }
}

function checkForm(fields: Record<string, unknown>): CreateServiceForm {
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string' && value.includes('\0'))
      throw new Problem('invalid-request', `The part "${name}" holds the character U+0000, which cannot be stored.`);
  }
  if (validForm(fields)) return fields;
  const errors = (validForm.errors ?? []).map((one) => {
    const { missingProperty, additionalProperty, propertyName } = one.params;
    const member: unknown = missingProperty ?? additionalProperty ?? propertyName;
    return {
      pointer: `${one.instancePath}${typeof member === 'string' ? `/${member}` : ''}`,
      detail: one.message ?? 'is invalid',
    };
  });
  const places = errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
  throw new Problem('invalid-request', `The form is not as expected: ${places}.`, { errors });
}
