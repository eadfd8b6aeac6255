import type { Catalog } from '../deletions/index.ts';
import { forgetAnswers } from '../storage/index.ts';

/** Where the answers are kept that are repeated under an Idempotency-Key. */
export function applicationAnswersOf(owner: { type: string; id: string }): string {
  return `applications of ${owner.type} ${owner.id}`;
}

/** What users own of this domain. */
export const applicationCatalog: Catalog = {
  async ownedBy(transaction, userId, most) {
    const rows = await transaction
      .selectFrom('applications')
      .select(['id', 'name'])
      .where('owner_type', '=', 'USER')
      .where('owner_id', '=', userId)
      .limit(most)
      .execute();
    return rows.map(({ id, name }) => ({ what: `application "${name}"`, remedy: `DELETE /applications/${id}` }));
  },
  forget: (transaction, id) => forgetAnswers(transaction, applicationAnswersOf({ type: 'USER', id })),
};
