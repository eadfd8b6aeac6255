export { createWorkflows, type WorkflowPort } from './port.ts';
export { WorkflowEngine } from './engine.ts';
export type { Graphs } from './graphs.ts';
export { readState } from './state.ts';
export { workflowEndpoints } from './routes.ts';
export { giveUpCalls } from './calls/index.ts';
