export { JobWorker } from './job-worker.ts';
export { giveUpCalls } from './lost-calls.ts';
export { pauseAfter } from './retry-policy.ts';
