export { buildPending, onBuildChanged } from './changes.ts';
export { buildLog } from './log.ts';
export { BuildWorker, releaseLostBuilds } from './worker.ts';
