export { executionCatalog } from './catalog.ts';
export { giveUpExecutions } from './lost.ts';
export { executionLinks } from './links.ts';
export { Executions } from './operations.ts';
export { presentStatus } from './present.ts';
export { pageOfExecutions, pageOfService, type ListedRow } from './queries.ts';
export type { ExecutionScope } from './scope.ts';
export type { Origin } from './start.ts';
export { ExecutionWorker } from './worker.ts';
