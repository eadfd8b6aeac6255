export {
  acceptPlan,
  changeConsumer,
  changeProvider,
  findAcceptedPlan,
  type AcceptedPlan,
  type Party,
} from './accepted-plans.ts';
export { recordExecution, recordExecutions, usageRow, type Usage } from './record-usage.ts';
export { meteringEndpoints } from './routes.ts';
