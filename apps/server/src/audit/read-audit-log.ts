import { toTimestamp, type AuditEntry } from '@kethub/contract';
import { list, type Answer, type ListQuery } from '../http/index.ts';
import type { Context, Platform } from '../platform.ts';
import type { AuditEntryRow } from '../storage/index.ts';

/** What has been done to the resources of this owner, newest first. */
export function readAuditLog(platform: Platform, owner: Context, query: ListQuery): Promise<Answer> {
  return list(query, {
    address: `${platform.addresses.api}/audit-log`,
    load(cursor, limit) {
      const rows = platform.database.read
        .selectFrom('audit_entries')
        .selectAll()
        .where('owner_type', '=', owner.type)
        .where('owner_id', '=', owner.id)
        .orderBy('id', 'desc')
        .limit(limit);
      return (cursor === null ? rows : rows.where('id', '<', cursor)).execute();
    },
    present,
  });
}

function present(row: AuditEntryRow): AuditEntry {
  return {
    id: row.id,
    at: toTimestamp(row.created_at),
    actorId: row.actor_id,
    action: row.action,
    resourceId: row.resource_id,
    detail: JSON.parse(row.detail) as Record<string, unknown>,
  };
}
