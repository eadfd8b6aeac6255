import { toTimestamp, type Access, type Share, type ShareStatus } from '@kethub/contract';
import type { ShareRow } from '../../foundation/storage/index.ts';
import { recipientOf } from './queries.ts';

/** The status of a share at the moment `now`. */
export function statusOf({ start_at, end_at }: Pick<ShareRow, 'start_at' | 'end_at'>, now: number): ShareStatus {
  if (start_at !== null && end_at !== null && end_at <= start_at) return 'NEVER_ACTIVE';
  if (end_at !== null && end_at <= now) return 'EXPIRED';
  return start_at !== null && start_at > now ? 'NOT_YET' : 'ACTIVE';
}

export function presentShare(row: ShareRow, opens: Access[], now: number): Share {
  return {
    id: row.id,
    serviceId: row.service_id,
    recipient: recipientOf(row),
    startDate: row.start_at === null ? null : toTimestamp(row.start_at),
    endDate: row.end_at === null ? null : toTimestamp(row.end_at),
    status: statusOf(row, now),
    opens,
    createdAt: toTimestamp(row.created_at),
  };
}
