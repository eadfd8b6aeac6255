import type { RetentionRequest, StorageUsage } from '@kethub/contract';
import { audit } from '../../people/audit/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import { lockOwnerShared } from '../../people/organizations/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { showStorage } from './read-storage.ts';

/**
 * `PUT /storage/retention`: replaces the retention rules of an owner. The next sweep deletes what is too old by then.
 */
export async function setRules(platform: Platform, context: Context, wanted: RetentionRequest): Promise<StorageUsage> {
  const { keepDays = null, services = [] } = wanted;
  if (new Set(services.map(({ serviceId }) => serviceId)).size < services.length)
    throw new Problem('invalid-request', 'A service is named twice. Name each service once.', {
      errors: [{ pointer: '/services', detail: 'names a service twice' }],
    });
  const owner = { owner_type: context.type, owner_id: context.id };
  const rows = [
    ...(keepDays === null ? [] : [{ ...owner, service_id: '', keep_days: keepDays }]),
    ...services.map((one) => ({ ...owner, service_id: one.serviceId, keep_days: one.keepDays })),
  ];
  await platform.database.write(async (transaction) => {
    await lockOwnerShared(platform, transaction, context);
    await transaction
      .deleteFrom('retention_rules')
      .where('owner_type', '=', context.type)
      .where('owner_id', '=', context.id)
      .execute();
    if (rows.length > 0) await transaction.insertInto('retention_rules').values(rows).execute();
    await audit(platform, transaction, context, 'storage:change', context.id, { keepDays, services });
  });
  return showStorage(platform, context);
}
