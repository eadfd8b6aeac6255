export { Claims } from './claim.ts';
export { queuesWait } from './queries.ts';
export { CapacityCheck } from './capacity-check.ts';
