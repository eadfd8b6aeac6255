export { choosePlan, offeredVersion, type ChosenPlan } from './choose-plan.ts';
export { marketplaceEndpoints } from './routes.ts';
