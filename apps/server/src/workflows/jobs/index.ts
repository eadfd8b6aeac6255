export { JobWorker } from './job-worker.ts';
