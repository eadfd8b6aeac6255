import { Readable } from 'node:stream';
import type { ClusterApi } from '../kubernetes/api.ts';
import type { Job } from '../kubernetes/jobs.ts';
import type { Cluster } from '../kubernetes/kubernetes-run.ts';
import type { Pod } from '../kubernetes/pod.ts';
import type { PodListener, Pods } from '../kubernetes/pods.ts';

/** A stand-in for a cluster: it tells of pods when a test does, and notes what is removed. Every job is there, and logs are empty. */
export interface StandInCluster {
  readonly api: ClusterApi;
  readonly pods: Pods;
  /** By job, who follows its pods. */
  readonly listeners: Map<string, PodListener>;
  readonly removed: string[];
  /** Jobs of its list. */
  readonly jobs: Job[];
  /** Pods of its list. */
  readonly listed: Pod[];
  /** Warnings of the cluster about any object. */
  readonly warnings: string[];
  /** The cluster around a run whose job is made by `make`. Nobody is told of anything, but for what `more` says. */
  around(make: Cluster['make'], more?: Partial<Cluster>): Cluster;
}

export function standInCluster(): StandInCluster {
  const listeners = new Map<string, PodListener>();
  const removed: string[] = [];
  const jobs: Job[] = [];
  const listed: Pod[] = [];
  const warnings: string[] = [];
  const api = {
    settings: { namespace: 'n' },
    ask(_method: string, path: string) {
      const lists = { jobs, pods: listed, events: warnings.map((message) => ({ message })) };
      return Promise.resolve({ metadata: { resourceVersion: '1' }, items: Reflect.get(lists, path) as unknown });
    },
    find: () => Promise.resolve({ metadata: { name: 'any', uid: 'any' } }),
    open: () => Promise.resolve(Readable.from([])),
    remove: (path: string) => Promise.resolve(void removed.push(path)),
  } as unknown as ClusterApi;
  const pods = {
    follow(job: string, listener: PodListener) {
      listeners.set(job, listener);
      return () => listeners.get(job) === listener && listeners.delete(job);
    },
  } as unknown as Pods;
  const nothing = (): void => undefined;
  const around = (make: Cluster['make'], more: Partial<Cluster> = {}): Cluster => ({
    api,
    pods,
    make,
    graceMs: () => 1,
    released: nothing,
    stayed: nothing,
    lacksCapacity: nothing,
    ...more,
  });
  return { api, pods, listeners, removed, jobs, listed, warnings, around };
}
