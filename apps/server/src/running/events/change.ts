import type { ChangeEvent, ChangeKind } from '@kethub/contract';
import type { OwnerType } from '../../foundation/storage/index.ts';

/** A change, and whom it concerns. */
export interface Change {
  readonly event: ChangeKind;
  /** Null: concerns everybody. */
  readonly owner: { readonly type: OwnerType; readonly id: string } | null;
  readonly of: Pick<ChangeEvent, 'executionId' | 'serviceId' | 'version'>;
}
