import { compareVersions } from '@kethub/contract';
import { jsonText, type ServiceReference, type Value, type Variables } from '@kethub/workflow';
import {
  isDuring,
  type AccessDirectory,
  type ApplicationAccess,
  type Subscriber,
} from '../../../catalog/access/index.ts';
import { Problem } from '../../../foundation/http/index.ts';
import { readExact } from '../exact.ts';
import type { Platform } from '../../../foundation/platform.ts';
import type { WorkflowJobRow } from '../../../foundation/storage/index.ts';
import { unsealSecrets } from '../secrets.ts';
import type { JobContext } from './contexts.ts';

/** The service that a job calls, and the application as which it does. */
export interface Call {
  readonly serviceId: string;
  /** The nil UUID when the workflow names no application. */
  readonly applicationId: string;
  readonly reference: ServiceReference;
}

const NIL = '00000000-0000-0000-0000-000000000000';

export function callOf(job: WorkflowJobRow, { applicationId }: JobContext): Call {
  const reference = JSON.parse(job.service) as ServiceReference;
  return { reference, serviceId: reference.serviceId, applicationId: reference.applicationId ?? applicationId ?? NIL };
}

/**
 * Finds the subscription of a task, as the gateway would at this moment. It is one of an application of the workflow's
 * owner, to a version that is offered to it now. Throws not-subscribed, version-retired.
 */
export async function admitTask(
  platform: Platform,
  directory: AccessDirectory,
  { reference, applicationId }: Call,
  { owner }: JobContext,
): Promise<Subscriber> {
  const find = (access: ApplicationAccess | null) => subscriptionOf(access, reference, owner);
  const known = find(await directory.application(applicationId));
  if (known && isActive(platform, known)) return known;
  // A refusal is never decided from the cache.
  const fresh = find(await directory.reload(applicationId));
  if (fresh && isActive(platform, fresh)) return fresh;
  if (fresh?.retirement)
    throw new Problem(
      'version-retired',
      `Version ${fresh.version} of the service is retired. Subscribe to a newer one.`,
    );
  const which = reference.serviceVersion === null ? '' : ` in version ${reference.serviceVersion}`;
  throw new Problem(
    'not-subscribed',
    `The application ${applicationId} of the workflow's owner is not subscribed to the service ${reference.serviceId}${which}, or its subscription has ended.`,
  );
}

function subscriptionOf(
  access: ApplicationAccess | null,
  { serviceId, serviceVersion }: ServiceReference,
  owner: JobContext['owner'],
): Subscriber | null {
  const found = [...(access?.subscriptions.values() ?? [])]
    // A workflow may name any application, but only one of its own owner is used.
    .filter((one) => one.owner.id === owner?.id && one.owner.type === owner.type)
    .filter((one) => one.serviceId === serviceId && (serviceVersion === null || one.version === serviceVersion));
  return found.toSorted((a, b) => compareVersions(b.version, a.version))[0] ?? null;
}

function isActive({ now }: Platform, { active }: Subscriber): boolean {
  return isDuring(active, now());
}

/** The input as text, with secrets in clear text and data pools in the form for services. */
export async function inputOf(platform: Platform, job: WorkflowJobRow, { sealedSecrets }: JobContext): Promise<string> {
  const { $secrets, ...input } = (await readExact(job.input ?? '{}')) as Variables;
  const sent: Record<string, Value> = {};
  for (const [name, value] of Object.entries(input)) sent[name] = isPool(value) ? { ...value, ref: 'DATAPOOL' } : value;
  if ($secrets === undefined || $secrets === null) return jsonText(sent);
  const secrets = sealedSecrets === null ? {} : unsealSecrets(platform, sealedSecrets);
  return jsonText({ ...sent, $secrets: inClear($secrets, secrets) });
}

function isPool(value: Value): value is { readonly [name: string]: Value } {
  return typeof value === 'object' && value !== null && 'ref' in value && 'id' in value && value.ref === 'datapool';
}

function inClear(wanted: Value, secrets: Readonly<Record<string, string>>): Record<string, string> {
  const entries = typeof wanted === 'object' && wanted !== null ? Object.entries(wanted) : [];
  return Object.fromEntries(
    entries.map(([name, value]): [string, string] => {
      const of = typeof value === 'object' && value !== null && '$secret' in value ? value['$secret'] : null;
      if (typeof of !== 'string')
        throw new Problem(
          'invalid-secrets',
          `Build $secrets/${name} with the function secret_value: it names a secret that the workflow was started with.`,
        );
      const secret = Object.hasOwn(secrets, of) ? secrets[of] : undefined;
      if (secret === undefined)
        throw new Problem('invalid-secrets', `The workflow was started without the secret ${of} in its $secrets.`);
      return [name, secret];
    }),
  );
}
