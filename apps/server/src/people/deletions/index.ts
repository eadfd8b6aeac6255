export type { OwnerRenamed } from './catalog.ts';
export { ownedIn, type Catalog, type Owned } from './catalog.ts';
export { beingDeleted, lockAccountShared } from './lock-account.ts';
export {
  createFindDeletion,
  createFindLeaving,
  endDeletion,
  findDeletion,
  forgetDeletions,
  insertDeletion,
  listBegunDeletions,
  lockAccount,
  type FindDeletion,
  type FindLeaving,
} from './queries.ts';
