export { choosePlan, offeredVersion, type ChosenPlan } from './choose-plan.ts';
export { marketplaceEndpoints } from './routes.ts';
export { indexListings } from './listing-search.ts';
export { findOffered } from './queries.ts';
export { nameProvider } from './provider-names.ts';
