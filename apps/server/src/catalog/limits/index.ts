export { countExecution, hasQuota, uncountExecution, type QuotaFields } from './count-execution.ts';
export { presentUsage } from './present.ts';
export { limitsOfSubscriptions, usageOf } from './queries.ts';
export { limitEndpoints } from './routes.ts';
