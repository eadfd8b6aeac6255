import type { OwnerType, Queries } from '../../foundation/storage/index.ts';

/** Updates the name of an owner that another domain stores, in the transaction that changes the name. */
export type OwnerRenamed = (
  transaction: Queries,
  owner: { readonly type: OwnerType; readonly id: string },
  name: string,
) => Promise<void>;
