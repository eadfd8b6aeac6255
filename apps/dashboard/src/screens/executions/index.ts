export { ExecutionPage } from './execution-page.tsx';
export { Executions } from './executions.tsx';
