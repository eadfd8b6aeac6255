export { createWorkflows, type Door } from './door.ts';
export { WorkflowEngine } from './engine.ts';
export { workflowEndpoints } from './routes.ts';
export { giveUpCalls } from './calls/index.ts';
