export { buildChanged, buildPending, onBuildChanged, onBuildsChanged } from './changes.ts';
export { buildLog } from './log.ts';
export { requireBuildSlot } from './queue.ts';
export { BuildWorker, releaseLostBuilds } from './worker.ts';
