import { limits, type AddVersionForm, type CreateServiceForm } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { Problem, readJson } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { removeOrphans, type ServiceRow } from '../../foundation/storage/index.ts';
import { requireHosts } from './hosts.ts';
import { requireEnvironment } from './resources.ts';
import { storeSource, type Source } from './source.ts';
import { readParts } from './upload.ts';
import { storeWorkflow, type WorkflowSource } from './workflow/index.ts';

type Form = CreateServiceForm | AddVersionForm;

/**
 * Reads the form of a new service or version: text parts first, then the ZIP or the BPMN file. `type` is that of the
 * existing service; null if the form says it. When a part is wrong, the upload is removed.
 */
export async function readServiceForm<F extends Form>(
  platform: Platform,
  request: FastifyRequest,
  formOf: (fields: unknown) => F,
  type: ServiceRow['type'] | null,
): Promise<{ form: F; source: Source | WorkflowSource }> {
  const fields: Record<string, unknown> = {};
  const found: { source: Source | WorkflowSource | null } = { source: null };
  try {
    await readParts(request, async (part) => {
      if (part.type === 'field')
        fields[part.fieldname] = part.fieldname === 'configuration' ? await parseConfiguration(part.value) : part.value;
      else if (part.fieldname === 'source' && !found.source) {
        found.source = await ((type ?? fields['type']) === 'WORKFLOW' ? storeWorkflow : storeSource)(
          platform,
          part.file,
        );
        if (part.file.truncated)
          throw new Problem('too-large', `The upload may have at most ${limits.sourceArchiveBytes} bytes.`);
      } else
        throw new Problem(
          'invalid-request',
          `Unexpected file part "${part.fieldname}". What is uploaded goes into the part "source".`,
          { errors: [{ pointer: `/${part.fieldname}`, detail: 'is not expected' }] },
        );
    });
    const form = checkForm(fields, formOf, type);
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
    if (found.source) await removeOrphans(platform.database, platform.blobs, [found.source.blob]);
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

function checkForm<F extends Form>(
  fields: Record<string, unknown>,
  formOf: (fields: unknown) => F,
  type: ServiceRow['type'] | null,
): F {
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string' && value.includes('\0'))
      throw new Problem('invalid-request', `The part "${name}" holds the character U+0000, which cannot be stored.`);
  }
  const form = formOf(fields);
  if (form.configuration) {
    requireEnvironment(form.configuration, '/configuration');
    requireHosts(form.configuration, '/configuration');
  }
  if (type !== null && form.type !== undefined && form.type !== type)
    throw new Problem('invalid-request', `The service is of the type ${type}. Leave out the part "type".`, {
      errors: [{ pointer: '/type', detail: `must be ${type}` }],
    });
  requireFieldsOfType({ ...form, type: type === 'WORKFLOW' || type === 'MANAGED' ? type : form.type });
  return form;
}

/** Throws invalid-request for a part that the type of the service does not have. */
function requireFieldsOfType({
  type = 'MANAGED',
  configuration,
  applicationId,
}: Pick<Form, 'configuration' | 'applicationId'> & { readonly type: Form['type'] | undefined }): void {
  const wrong =
    type === 'WORKFLOW' ? configuration && '/configuration' : applicationId !== undefined && '/applicationId';
  if (!wrong) return;
  const detail = type === 'WORKFLOW' ? 'is only for services whose code runs here' : 'is only for workflow services';
  throw new Problem('invalid-request', `The part ${wrong} ${detail}.`, { errors: [{ pointer: wrong, detail }] });
}
