export type { Catalog, Owned } from './catalog.ts';
export { beingDeleted, holdAccount } from './hold-account.ts';
export {
  createFindDeletion,
  endDeletion,
  findDeletion,
  forgetDeletions,
  insertDeletion,
  listBegunDeletions,
  lockAccount,
  type FindDeletion,
} from './queries.ts';
