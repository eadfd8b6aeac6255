import type { ChangeShareRequest, Share } from '@kethub/contract';
import { accessChanged } from '../../people/authorization/index.ts';
import { audit } from '../../people/audit/index.ts';
import { etag, Problem, requireMatch, type Tagged } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { requireService } from '../services/index.ts';
import type { Queries, ServiceRow, ShareRow } from '../../foundation/storage/index.ts';
import { constraintsOf } from './constraints.ts';
import { openedByService } from './opened.ts';
import { presentShare } from './present.ts';
import { findShare, recipientOf } from './queries.ts';

/** Returns a share of a service that belongs to the context. Throws not-found. */
export async function requireShare(
  queries: Queries,
  context: Context,
  serviceId: string,
  id: string,
): Promise<{ readonly service: ServiceRow; readonly row: ShareRow }> {
  const service = await requireService(queries, context, serviceId);
  const row = await findShare(queries, serviceId, id);
  if (!row) throw new Problem('not-found', `The service has no share ${id}.`);
  return { service, row };
}

/** Changes the dates of a share. They apply from the next call on. */
export async function changeShare(
  platform: Platform,
  context: Context,
  serviceId: string,
  id: string,
  change: ChangeShareRequest,
  ifMatch: string | undefined,
): Promise<Tagged<Share>> {
  const constraints = constraintsOf(change);
  const share = await platform.database.write(async (transaction) => {
    const { service, row } = await requireShare(transaction, context, serviceId, id);
    requireMatch(ifMatch, etag(row.revision));
    const values = { ...constraints, revision: row.revision + 1 };
    const { numUpdatedRows } = await transaction
      .updateTable('shares')
      .set(values)
      .where('id', '=', id)
      .where('revision', '=', row.revision)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new Problem('stale', 'Somebody else has just changed this share. Read it again.');
    const opens = await openedByService(transaction, service, platform.now());
    const body = presentShare({ ...row, ...values }, opens, platform.now());
    const { recipient, startDate, endDate } = body;
    await audit(platform, transaction, context, 'share:change', id, { serviceId, recipient, startDate, endDate });
    return { body, tag: etag(values.revision) };
  });
  accessChanged(platform.database);
  return share;
}

/** Removes a share. Calls by it are refused within a second on every process. Running executions go on. */
export async function removeShare(
  platform: Platform,
  context: Context,
  serviceId: string,
  id: string,
  ifMatch: string | undefined,
): Promise<void> {
  await platform.database.write(async (transaction) => {
    const { row } = await requireShare(transaction, context, serviceId, id);
    requireMatch(ifMatch, etag(row.revision));
    await transaction.deleteFrom('shares').where('id', '=', id).execute();
    await audit(platform, transaction, context, 'share:delete', id, { serviceId, recipient: recipientOf(row) });
  });
  accessChanged(platform.database);
}
