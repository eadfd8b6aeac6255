export { Heartbeat } from './heartbeat.ts';
export { requireWorkerId } from './worker-id.ts';
export { LostWorkers, type OnLost } from './lost-workers.ts';
