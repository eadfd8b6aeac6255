import { Type, type Static } from 'typebox';
import { audit } from '../../people/audit/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { Mailer } from '../../foundation/mail/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { dialectOf, type OwnerType, type Queries, type ServiceRow } from '../../foundation/storage/index.ts';

export const DeletionQuery = Type.Object({
  force: Type.Optional(Type.Boolean({ description: 'Delete it also when applications have subscribed to it.' })),
});
export type DeletionQuery = Static<typeof DeletionQuery>;

/** An owner of applications that have subscribed to a service. */
export interface Subscribers {
  readonly ownerType: OwnerType;
  readonly ownerId: string;
  /** Names of the applications. */
  readonly applications: readonly string[];
}

/** Milliseconds in which a mail is tried. Then it is dropped. */
const MAIL_KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** Reads the subscribers in the transaction that deletes the service. Locks the service against new subscriptions. */
export async function subscribersOf(transaction: Queries, serviceId: string): Promise<Subscribers[]> {
  if (dialectOf(transaction) === 'postgres')
    await transaction.selectFrom('services').select('id').where('id', '=', serviceId).forUpdate().execute();
  const rows = await transaction
    .selectFrom('subscriptions')
    .innerJoin('applications', 'applications.id', 'subscriptions.application_id')
    .select(['owner_type', 'owner_id', 'applications.id', 'name'])
    .distinct()
    .where('subscriptions.service_id', '=', serviceId)
    .execute();
  const byOwner = Map.groupBy(rows, ({ owner_type, owner_id }) => `${owner_type} ${owner_id}`);
  return [...byOwner.values()].flatMap((of) => {
    const [first] = of;
    if (!first) return [];
    return [{ ownerType: first.owner_type, ownerId: first.owner_id, applications: of.map(({ name }) => name) }];
  });
}

/** Throws service-in-use if there are subscribers. */
export function requireNoSubscribers(subscribers: readonly Subscribers[]): void {
  if (subscribers.length === 0) return;
  const applications = subscribers.reduce((sum, one) => sum + one.applications.length, 0);
  const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;
  throw new Problem(
    'service-in-use',
    `${count(applications, 'application')} of ${count(subscribers.length, 'owner')} ${applications === 1 ? 'has' : 'have'} subscribed to the service. Retire its versions, or delete it with ?force=true, which notifies the subscribers.`,
  );
}

/**
 * Notifies all other subscribers that a service is gone, in the transaction that deletes it. Each owner gets an entry
 * in the audit log, and the person or the owners of the organization a mail. Call `mailer.wake` afterwards.
 */
export async function notifySubscribers(
  platform: Platform,
  mailer: Mailer,
  transaction: Queries,
  deletion: { readonly actor: Context; readonly service: ServiceRow },
  subscribers: readonly Subscribers[],
): Promise<void> {
  const { actor, service } = deletion;
  for (const one of subscribers) {
    if (one.ownerType === actor.type && one.ownerId === actor.id) continue;
    const context = { ...actor, type: one.ownerType, id: one.ownerId };
    const detail = { name: service.name, applications: one.applications };
    await audit(platform, transaction, context, 'service:delete', service.id, detail);
    for (const to of await addressesOf(transaction, one))
      await mailer.post(transaction, { to, ...mailOf(platform, service, one) }, platform.now() + MAIL_KEPT_MS);
  }
}

async function addressesOf(queries: Queries, { ownerType, ownerId }: Subscribers): Promise<string[]> {
  const query = queries.selectFrom('users').select('email');
  const rows = await (
    ownerType === 'USER'
      ? query.where('id', '=', ownerId)
      : query
          .innerJoin('memberships', 'memberships.user_id', 'users.id')
          .where('organization_id', '=', ownerId)
          .where('role', '=', 'OWNER')
  ).execute();
  return [...new Set(rows.map(({ email }) => email).filter(Boolean))];
}

/** The mail to a subscriber. It names the service by its address, in which its provider cannot place a message. */
function mailOf({ addresses }: Platform, { slug, id }: ServiceRow, { applications }: Subscribers) {
  return {
    subject: 'A service that you use at Kethub is gone',
    text: `The provider of the service ${slug} (${id}) has deleted it. These applications had subscribed to it, and cannot
call it any more:

${applications.map((name) => `  ${name.replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ')}`).join('\n')}

What was executed for you is still there. Look at it, and fetch results that you need:

ket list

${new URL(addresses.api).origin}
`,
  };
}
