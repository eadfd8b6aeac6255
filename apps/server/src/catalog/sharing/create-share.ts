import { limits, type CreateShareRequest, type Share } from '@kethub/contract';
import { accessChanged } from '../../people/authorization/index.ts';
import { audit } from '../../people/audit/index.ts';
import { etag, once, Problem, type IdempotencyKey, type Tagged } from '../../foundation/http/index.ts';
import type { IdentityProvider } from '../../people/identity/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { requireService } from '../services/index.ts';
import type { Queries, ShareRow } from '../../foundation/storage/index.ts';
import { constraintsOf } from './constraints.ts';
import { openedByService } from './opened.ts';
import { presentShare } from './present.ts';
import { recipientColumns } from './queries.ts';
import { lockRecipient, requireApproved } from './recipient.ts';

/** Shares a service with a user or an organization. */
export async function createShare(
  platform: Platform,
  identity: IdentityProvider,
  context: Context,
  serviceId: string,
  wanted: CreateShareRequest,
  idempotencyKey: IdempotencyKey,
): Promise<Tagged<Share>> {
  const { database } = platform;
  const constraints = constraintsOf(wanted);
  await requireService(database.read, context, serviceId);
  await requireApproved(identity, wanted.recipient);
  const now = platform.now();
  const scope = `shares of ${serviceId}`;
  const share = await once(platform, idempotencyKey, scope, JSON.stringify(wanted), async (transaction) => {
    const service = await requireService(transaction, context, serviceId);
    requireOther(service.owner_type, service.owner_id, wanted.recipient);
    await lockRecipient(platform, transaction, wanted.recipient);
    await requireShareLimit(transaction, serviceId);
    const row: ShareRow = {
      id: platform.newId(),
      service_id: serviceId,
      ...recipientColumns(wanted.recipient),
      start_at: constraints.start_at ?? null,
      end_at: constraints.end_at ?? null,
      created_at: now,
      revision: 1,
    };
    await transaction.insertInto('shares').values(row).execute();
    const body = presentShare(row, await openedByService(transaction, service, now), now);
    const { recipient, startDate, endDate } = body;
    await audit(platform, transaction, context, 'share:create', row.id, { serviceId, recipient, startDate, endDate });
    return { body, tag: etag(row.revision) };
  });
  accessChanged(database);
  return share;
}

function requireOther(ownerType: string, ownerId: string, { type, id }: CreateShareRequest['recipient']): void {
  if (type !== ownerType || id !== ownerId) return;
  throw new Problem('conflict', 'The service belongs to this recipient already. Share it with somebody else.');
}

async function requireShareLimit(transaction: Queries, serviceId: string): Promise<void> {
  const { taken } = await transaction
    .selectFrom('shares')
    .select((expression) => expression.fn.countAll<number | string>().as('taken'))
    .where('service_id', '=', serviceId)
    .executeTakeFirstOrThrow();
  if (Number(taken) < limits.sharesOfService) return;
  throw new Problem(
    'conflict',
    `A service has at most ${limits.sharesOfService} shares. Remove some that have ended, or share it with an organization.`,
  );
}
