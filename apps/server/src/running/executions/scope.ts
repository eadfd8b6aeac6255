import type { ExpressionBuilder } from 'kysely';
import type { Subscriber } from '../../catalog/access/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { ExecutionRow, OwnerType, Tables } from '../../foundation/storage/index.ts';

/** The executions started through a subscription, or all executions of an owner. */
type ScopeOwner =
  | { readonly by: 'SUBSCRIPTION'; readonly subscriptionId: string }
  | { readonly by: 'OWNER'; readonly type: OwnerType; readonly id: string };

/** The executions that a request may see. Any other answers execution-not-found. */
export interface ExecutionScope {
  readonly of: ScopeOwner;
  /** URL of these executions, without a slash at its end; an id follows. */
  readonly address: string;
}

/** The person or application that reads executions, and which ones it may see. */
export interface ExecutionReader {
  readonly id: string;
  readonly scope: ExecutionScope;
}

/** The executions that were started through a subscription. */
export function subscriberScope({ subscriptionId, address }: Subscriber): ExecutionScope {
  return { of: { by: 'SUBSCRIPTION', subscriptionId }, address };
}

/** Columns that the scope compares. */
export const scopeColumns = ['subscription_id', 'owner_type', 'owner_id'] as const;

/** Returns whether an execution lies within the scope. */
export function isWithin({ of }: ExecutionScope, row: Pick<ExecutionRow, (typeof scopeColumns)[number]>): boolean {
  if (of.by === 'SUBSCRIPTION') return row.subscription_id === of.subscriptionId;
  return row.owner_id === of.id && row.owner_type === of.type;
}

/** `isWithin` as a condition of SQL. */
export function within({ of }: ExecutionScope) {
  return (where: ExpressionBuilder<Tables, 'executions'>) =>
    of.by === 'SUBSCRIPTION'
      ? where('subscription_id', '=', of.subscriptionId)
      : where.and([where('owner_type', '=', of.type), where('owner_id', '=', of.id)]);
}

/** `isWithin` as a condition on the table of tags. */
export function taggedWithin({ of }: ExecutionScope) {
  return (where: ExpressionBuilder<Tables, 'execution_tags'>) =>
    of.by === 'SUBSCRIPTION'
      ? where('execution_tags.subscription_id', '=', of.subscriptionId)
      : where.and([where('execution_tags.owner_type', '=', of.type), where('execution_tags.owner_id', '=', of.id)]);
}

export function executionNotFound({ of }: ExecutionScope, id: string): Problem {
  return new Problem(
    'execution-not-found',
    of.by === 'SUBSCRIPTION'
      ? `No execution ${id} was started through this subscription.`
      : `You have no execution ${id}. Within an organization, name it in X-OrganizationId.`,
  );
}
