import type { OwnerType, Queries } from '../../foundation/storage/index.ts';

/** Brings the name of an owner up to date where another domain stores it, in the transaction that changes the name. */
export type OwnerRenamed = (
  transaction: Queries,
  owner: { readonly type: OwnerType; readonly id: string },
  name: string,
) => Promise<void>;
