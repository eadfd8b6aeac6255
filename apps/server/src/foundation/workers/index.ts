export {
  capacityOf,
  lacking,
  machineOf,
  needsOfRow,
  Resources,
  freeResources,
  type Capacity,
  type Machine,
  type Needs,
  knownCapacities,
} from './capacity.ts';
export { ContainerWatch, someWorkerRunsContainers } from './containers.ts';
export { Heartbeat } from './heartbeat.ts';
export { reportProcess, PROCESS_LASTS_MS } from './report-process.ts';
export { createPolling, WORK_POLL_MS } from './work-poll.ts';
export { CLAIMING, claimExclusively, lockClaims, promisedOn, promisesOf, unlessClaiming } from './promises.ts';
export { lackingForLong, longCapacity, type LongRunLimits } from './long-capacity.ts';
export { knownPythons, reportPythons } from './pythons.ts';
export { requireWorkerId } from './worker-id.ts';
export { LostWorkers } from './lost-workers.ts';
