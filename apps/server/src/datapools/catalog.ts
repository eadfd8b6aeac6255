import type { Catalog } from '../deletions/index.ts';
import { forgetAnswers } from '../storage/index.ts';

/** Where the answers are kept that are repeated under an Idempotency-Key. */
export function dataPoolAnswersOf(owner: { type: string; id: string }): string {
  return `data pools of ${owner.type} ${owner.id}`;
}

/** What users own of this domain. What others have shared with them ends with them. */
export const dataPoolCatalog: Catalog = {
  async ownedBy(transaction, userId, most) {
    const rows = await transaction
      .selectFrom('data_pools')
      .select(['id', 'name'])
      .where('owner_type', '=', 'USER')
      .where('owner_id', '=', userId)
      .limit(most)
      .execute();
    return rows.map(({ id, name }) => ({ what: `data pool "${name}"`, remedy: `DELETE /data-pools/${id}` }));
  },
  async forget(transaction, userId) {
    await transaction
      .deleteFrom('data_pool_members')
      .where('member_type', '=', 'USER')
      .where('member_id', '=', userId)
      .execute();
    await forgetAnswers(transaction, dataPoolAnswersOf({ type: 'USER', id: userId }));
  },
};
