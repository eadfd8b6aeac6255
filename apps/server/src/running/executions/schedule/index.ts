export { Claims } from './claim.ts';
export { CapacityCheck } from './capacity-check.ts';
