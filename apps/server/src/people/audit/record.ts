import type { Operation } from '@kethub/contract';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { AuditEntryRow, Queries } from '../../foundation/storage/index.ts';

/** Actions that are recorded beside operations on resources of an owner. */
export type Recorded =
  | Operation
  | 'organization:create'
  | 'organization:join'
  | 'invitation:decline'
  | 'implementation:invite'
  | 'implementation:join'
  | 'implementation:pushed'
  | 'access-token:create'
  | 'access-token:delete'
  | 'access-token:renew'
  | 'registration:change'
  | 'execution:end'
  | 'layer:purge'
  | 'layer:rebuild'
  | SignInAction
  | 'signing-keys:renew'
  | 'storage-quota:set'
  | 'data-pool:grant'
  | 'storage:recount';

/** Actions that `SignInRecords` records for an account. */
export type SignInAction = 'session:sign-in' | 'session:refuse';

/**
 * Records a change of rights, keys or publications in the transaction that makes it, so that both are kept or neither.
 * `detail` is shown to the owners. It must hold no secret and no e-mail address.
 */
export async function audit(
  platform: Platform,
  transaction: Queries,
  { type, id, personId }: Context,
  action: Recorded,
  resourceId: string,
  detail: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const row: AuditEntryRow = {
    id: platform.newId(),
    owner_type: type,
    owner_id: id,
    actor_id: personId,
    action,
    resource_id: resourceId,
    detail: JSON.stringify(detail),
    created_at: platform.now(),
    merged_under: null,
    times: 1,
    last_at: null,
  };
  await transaction.insertInto('audit_entries').values(row).execute();
}

/** The context of a person who acts for themselves. */
export function ownContext(personId: string): Context {
  return { type: 'USER', id: personId, role: 'OWNER', personId };
}
