import type { ExpressionBuilder } from 'kysely';
import type { Subscriber } from '../../catalog/access/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { ExecutionRow, OwnerType, Tables } from '../../foundation/storage/index.ts';

/** Whose executions: those started through a subscription, or all that were started for an owner. */
export type Askers =
  | { readonly by: 'SUBSCRIPTION'; readonly subscriptionId: string }
  | { readonly by: 'OWNER'; readonly type: OwnerType; readonly id: string };

/** The executions that a request may see, given by the door it came through. Any other is not there. */
export interface ExecutionScope {
  readonly of: Askers;
  /** Where they stand at this door, without a slash at the end; an id follows. */
  readonly address: string;
}

/** The executions that were started through a subscription. */
export function subscriberScope({ subscriptionId, address }: Subscriber): ExecutionScope {
  return { of: { by: 'SUBSCRIPTION', subscriptionId }, address };
}

/** The columns that decide. */
export const scopeColumns = ['subscription_id', 'owner_type', 'owner_id'] as const;

/** Whether an execution lies within the scope. */
export function isWithin({ of }: ExecutionScope, row: Pick<ExecutionRow, (typeof scopeColumns)[number]>): boolean {
  if (of.by === 'SUBSCRIPTION') return row.subscription_id === of.subscriptionId;
  return row.owner_id === of.id && row.owner_type === of.type;
}

/** The same as a condition of SQL. */
export function within({ of }: ExecutionScope) {
  return (where: ExpressionBuilder<Tables, 'executions'>) =>
    of.by === 'SUBSCRIPTION'
      ? where('subscription_id', '=', of.subscriptionId)
      : where.and([where('owner_type', '=', of.type), where('owner_id', '=', of.id)]);
}

/** The same of the tags of executions. */
export function taggedWithin({ of }: ExecutionScope) {
  return (where: ExpressionBuilder<Tables, 'execution_tags'>) =>
    of.by === 'SUBSCRIPTION'
      ? where('execution_tags.subscription_id', '=', of.subscriptionId)
      : where.and([where('execution_tags.owner_type', '=', of.type), where('execution_tags.owner_id', '=', of.id)]);
}

export function notThere({ of }: ExecutionScope, id: string): Problem {
  return new Problem(
    'execution-not-found',
    of.by === 'SUBSCRIPTION'
      ? `No execution ${id} was started through this subscription.`
      : `You have no execution ${id}. Within an organization, name it in X-OrganizationId.`,
  );
}
