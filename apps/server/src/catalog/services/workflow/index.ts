export { requireDeployable } from './deploy.ts';
export { describedWorkflow } from './open-api.ts';
export { presentWorkflow, type WorkflowColumns } from './present.ts';
export {
  columnsOf,
  findApplication,
  findWorkflowVersion,
  insertWorkflowVersion,
  requirementsIn,
  updateWorkflowVersion,
} from './queries.ts';
export { createRequestCheck, type RequestCheck } from './check-request.ts';
export { bpmnMedia, isBpmn, storeWorkflow, type WorkflowSource } from './source.ts';
