import { limits, toTimestamp, type AuditEntry, worded } from '@kethub/contract';
import { Type, type Static } from 'typebox';
import { ListQuery, type Listing } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { AuditEntryRow } from '../../foundation/storage/index.ts';

export const AuditQuery = Type.Object({
  ...ListQuery.properties,
  action: Type.Optional(
    Type.String({
      pattern: worded('^[a-z-]{1,40}:[a-z-]{1,40}$', 'must be an action such as access-key:rotate'),
      description: 'Only this one, such as `access-key:rotate`.',
    }),
  ),
  resourceId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.idLength,
      pattern: worded(String.raw`^[^\u0000]*$`, 'must be a text without the character U+0000'),
      description: 'Only what was done to this resource.',
    }),
  ),
});
export type AuditQuery = Static<typeof AuditQuery>;

/** Lists the audit log of an owner, newest first. */
export function readAuditLog(platform: Platform, owner: Context, query: AuditQuery): Listing<AuditEntryRow> {
  const { action, resourceId } = query;
  const given = { ...(action && { action }), ...(resourceId && { resourceId }) };
  const search = new URLSearchParams(given).toString();
  return {
    address: `${platform.addresses.api}/audit-log${search && `?${search}`}`,
    load(cursor, limit) {
      let rows = platform.database.read
        .selectFrom('audit_entries')
        .selectAll()
        .where('owner_type', '=', owner.type)
        .where('owner_id', '=', owner.id)
        .orderBy('id', 'desc')
        .limit(limit);
      if (action !== undefined) rows = rows.where('action', '=', action);
      if (resourceId !== undefined) rows = rows.where('resource_id', '=', resourceId);
      return (cursor === null ? rows : rows.where('id', '<', cursor)).execute();
    },
    present,
  };
}

/** The count and the last time of an entry that stands for several events. */
function counted({ merged_under, times, last_at }: AuditEntryRow): Record<string, unknown> {
  return merged_under === null || last_at === null ? {} : { times, lastAt: toTimestamp(last_at) };
}

function present(row: AuditEntryRow): AuditEntry {
  return {
    id: row.id,
    at: toTimestamp(row.created_at),
    actorId: row.actor_id,
    action: row.action,
    resourceId: row.resource_id,
    detail: { ...(JSON.parse(row.detail) as Record<string, unknown>), ...counted(row) },
  };
}
