import { isAllowed, isRefName, type ServiceSource, type ServiceSourceRequest } from '@kethub/contract';
import { audit } from '../../../people/audit/index.ts';
import { Problem } from '../../../foundation/http/index.ts';
import type { Context, Platform } from '../../../foundation/platform.ts';
import type { Queries, ServiceSourceRow } from '../../../foundation/storage/index.ts';
import { requireService } from '../../services/index.ts';
import { requireImplementation } from '../rights.ts';

/** Reads which pushes become versions of a service. */
export async function readSource({ database }: Platform, context: Context, serviceId: string): Promise<ServiceSource> {
  await requireService(database.read, context, serviceId);
  return present(await requireSource(database.read, serviceId));
}

/** Makes the pushes to a branch, or the tags of versions, versions of a service. */
export function setSource(
  platform: Platform,
  context: Context,
  serviceId: string,
  { implementationId, on, pattern, action }: ServiceSourceRequest,
): Promise<ServiceSource> {
  const { database, now } = platform;
  return database.write(async (transaction) => {
    const service = await requireService(transaction, context, serviceId);
    if (service.type !== 'MANAGED')
      throw new Problem('conflict', 'Only a managed service can be built from a repository.');
    const { role } = await requireImplementation(transaction, context, implementationId, 'implementation:build');
    const isOwner = context.role === 'OWNER' && isAllowed(role, 'implementation:change');
    if (action === 'PUBLISH' && !isOwner)
      throw new Problem(
        'not-permitted',
        'Only an OWNER of both the service and the implementation may let pushes publish versions. Choose DRAFT.',
      );
    if (!isRefName(on === 'TAG' ? pattern.replaceAll('*', 'x') : pattern))
      throw new Problem('invalid-request', '"pattern" must name a branch, or tags with * for any text.', {
        errors: [{ pointer: '/pattern', detail: 'is no name of a branch or of tags' }],
      });
    const values = {
      implementation_id: implementationId,
      watched: on,
      pattern,
      action,
      set_by: context.personId,
      last_commit: null,
      last_version: null,
      problem: null,
      due_at: now(),
    };
    const row = await transaction
      .insertInto('service_sources')
      .values({ ...values, service_id: serviceId, created_at: now(), revision: 1 })
      .onConflict((conflict) => conflict.column('service_id').doUpdateSet(values))
      .returningAll()
      .executeTakeFirstOrThrow();
    await audit(platform, transaction, context, 'service:automate', serviceId, {
      implementationId,
      on,
      pattern,
      action,
    });
    return present(row);
  });
}

/** Ends the making of versions by pushes. */
export async function removeSource(platform: Platform, context: Context, serviceId: string): Promise<void> {
  await platform.database.write(async (transaction) => {
    await requireService(transaction, context, serviceId);
    const { implementation_id: implementationId } = await requireSource(transaction, serviceId);
    await transaction.deleteFrom('service_sources').where('service_id', '=', serviceId).execute();
    await audit(platform, transaction, context, 'service:automate', serviceId, { implementationId, on: null });
  });
}

async function requireSource(queries: Queries, serviceId: string): Promise<ServiceSourceRow> {
  const row = await queries
    .selectFrom('service_sources')
    .selectAll()
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
  if (row) return row;
  throw new Problem('not-found', 'The service has no source: no push becomes a version of it.');
}

function present(row: ServiceSourceRow): ServiceSource {
  return {
    implementationId: row.implementation_id,
    on: row.watched,
    pattern: row.pattern,
    action: row.action,
    lastCommit: row.last_commit,
    lastVersion: row.last_version,
    problem: row.problem,
  };
}
