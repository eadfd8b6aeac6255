export { executionCatalog } from './catalog.ts';
export { endExecution } from './end-execution.ts';
export { giveUpExecutions } from './lost.ts';
export type { ExecutionInput } from './input.ts';
export { expireResults } from './expire.ts';
export { executionLinks } from './links.ts';
export { Executions } from './operations.ts';
export { inputOf, type InputParameters } from './parameters.ts';
export { presentProgress, presentStatus } from './present.ts';
export { pageOfExecutions, pageOfService, type ExecutionFilter, type ListedRow } from './queries.ts';
export { readProvidedRecord } from './record/index.ts';
export { requireSealed } from './secret-names.ts';
export type { ExecutionScope } from './scope.ts';
export { cancelExecution } from './cancel.ts';
export { move } from './queries.ts';
export { readResult } from './result.ts';
export { removeInput } from './input-blob.ts';
export {
  acceptExecutions,
  createAccepting,
  prepareExecution,
  wakeWorkers,
  type Accepting,
  type Origin,
  type PreparedExecution,
} from './start.ts';
export { executionChanged, onExecutionChanged } from './watch.ts';
export { Fitting } from './schedule/index.ts';
export { settleWorkflows, type Moved, type Settled } from './settle-workflows.ts';
export type { AcceptedWorkflow, FirstStep, Workflows } from './workflows.ts';
export { ExecutionWorker } from './worker.ts';
