import type { Catalog } from '../deletions/index.ts';
import { forgetAnswers } from '../storage/index.ts';

/** Where the answers are kept that are repeated under an Idempotency-Key. */
export function serviceAnswersOf(owner: { type: string; id: string }): string {
  return `services of ${owner.type} ${owner.id}`;
}

/** What users own of this domain. */
export const serviceCatalog: Catalog = {
  async ownedBy(transaction, userId, most) {
    const rows = await transaction
      .selectFrom('services')
      .select(['id', 'name'])
      .where('owner_type', '=', 'USER')
      .where('owner_id', '=', userId)
      .limit(most)
      .execute();
    return rows.map(({ id, name }) => ({ what: `service "${name}"`, remedy: `DELETE /services/${id}` }));
  },
  forget: (transaction, id) => forgetAnswers(transaction, serviceAnswersOf({ type: 'USER', id })),
};
