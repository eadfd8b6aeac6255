export { cancelExecution } from './cancel.ts';
export { executionLog } from './log.ts';
export { presentStatus } from './present.ts';
export { filesOf, findExecution, pageOfExecutions, type StatusRow } from './queries.ts';
export { startExecution, type Origin } from './start.ts';
export { createStatusReader, type StatusReader } from './status-reader.ts';
export { watchExecutions, type ExecutionWatch } from './watch.ts';
export { ExecutionWorker } from './worker.ts';
