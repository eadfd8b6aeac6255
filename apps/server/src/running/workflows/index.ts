export { createWorkflows, type WorkflowPort } from './port.ts';
export { WorkflowEngine } from './engine.ts';
export { workflowEndpoints } from './routes.ts';
export { giveUpCalls } from './calls/index.ts';
