export { acceptPlan, changeConsumer, changeProvider } from './accepted-plans.ts';
export { readMonthlyUsage } from './monthly-usage.ts';
export { recordExecution, recordExecutions } from './record-usage.ts';
export { meteringEndpoints } from './routes.ts';
