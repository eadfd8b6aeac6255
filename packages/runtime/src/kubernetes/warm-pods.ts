import { randomBytes } from 'node:crypto';
import { messageOf } from '../errors.ts';
import type { WarmPod, WarmPodsWish } from '../types.ts';
import { hashOf, type Transfer, type Transfers } from '../transfers/transfers.ts';
import type { ClusterApi } from './api.ts';
import { Handover } from './handover.ts';
import { removeJob } from './jobs.ts';
import { attemptOf, WARM_POD_MS } from './objects.ts';
import { isOver, latestWarning, waitOf, type Pod } from './pod.ts';
import type { Pods } from './pods.ts';

/** Milliseconds between two looks at the pods that wait. */
const LOOK_MS = 2_000;
/** Milliseconds after which the cluster is asked why a pod is not ready, and after which it is given up in any case. */
const EXPLAIN_AFTER_MS = 10_000;
const GIVE_UP_MS = 600_000;
/** Milliseconds without a question of a pod that was ready. Its node may be lost. */
const SILENT_MS = 30_000;
/** Milliseconds until the next attempt after a pod that did not get ready: the first, and the longest. */
const AGAIN_MS = 30_000;
const LONGEST_PAUSE_MS = 900_000;
/** Milliseconds without pods that wait, since an execution last waited for room in the cluster. */
const YIELD_MS = 60_000;

/** A pod that waits for an execution, by the names that it keeps for its execution. */
export interface Reservation {
  /** Stands in its requests, in the place of the id of an execution. */
  readonly id: string;
  readonly token: string;
}

/** Everything that pods of a version need. */
export interface WarmSpec extends WarmPodsWish {
  /** Equal for all executions that such a pod can serve. */
  readonly key: string;
  readonly parts: Transfer['parts'];
  readonly api: ClusterApi;
  readonly pods: Pods;
  readonly jobOf: (id: string) => string;
  make(reservation: Reservation): Promise<void>;
}

/** A pod that was taken for an execution. */
export interface Taken {
  readonly id: string;
  readonly job: string;
  readonly tokenHash: string;
  /** The uid of the pod, and the pod as last seen. */
  readonly pod: string;
  readonly seen: Pod | null;
  readonly handover: Handover;
  /** Stops following the pod. */
  unfollow(): void;
  /** Refuses what the pod asks. */
  close(): void;
}

export interface WarmSettings {
  readonly most: number;
  readonly idleMs: number;
}

interface Waiting extends Taken {
  readonly since: number;
  pod: string;
  seen: Pod | null;
  askedAt: number | null;
  made: Promise<void>;
}

interface Group {
  spec: WarmSpec;
  usedAt: number;
  readonly waiting: Set<Waiting>;
  failures: number;
  pausedUntil: number;
  /** The reason that the log had last. */
  said: string;
}

/**
 * Pods that wait for executions of the versions whose owners ask for them. A pod serves one execution. They are known to
 * this process alone: the next one removes their jobs, which no execution names.
 */
export class WarmPods {
  readonly #transfers: Transfers;
  readonly #settings: () => WarmSettings;
  /** Called when a job could not be removed. */
  readonly #stayed: () => void;
  /** By version, those that were asked for first first. */
  readonly #groups = new Map<string, Group>();
  readonly #removals = new Set<Promise<void>>();
  #yieldedUntil = 0;
  #isClosed = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(transfers: Transfers, settings: () => WarmSettings, stayed: () => void) {
    this.#transfers = transfers;
    this.#settings = settings;
    this.#stayed = stayed;
  }

  /** Takes a pod that can begin at once, or returns null. */
  take({ version, key }: Pick<WarmSpec, 'version' | 'key'>): Taken | null {
    const group = this.#groups.get(version);
    if (group === undefined || group.spec.key !== key) return null;
    for (const one of group.waiting) {
      if (!one.handover.isAsked) continue;
      group.waiting.delete(one);
      return one;
    }
    return null;
  }

  /** Keeps pods for this version from now on, as many as there may be: an execution of it has begun. */
  want(spec: WarmSpec): void {
    if (this.#isClosed || this.#settings().most === 0) return;
    const before = this.#groups.get(spec.version);
    // Its draft was changed: nothing asks for the former pods any more.
    if (before !== undefined && before.spec.key !== spec.key) this.#end(before);
    const fresh = { waiting: new Set<Waiting>(), failures: 0, pausedUntil: 0, said: '' };
    const group = before ?? { ...fresh, spec, usedAt: 0 };
    group.spec = spec;
    group.usedAt = performance.now();
    this.#groups.set(spec.version, group);
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
    this.#fill();
  }

  /** Ends all pods for a while, because an execution waits for room in the cluster. */
  yield(): void {
    this.#yieldedUntil = performance.now() + YIELD_MS;
    if (this.list().length > 0) console.error('warm pods end: an execution waits for room in the cluster');
    for (const group of this.#groups.values()) this.#end(group);
  }

  /** Ends the pods of these versions. */
  endVersions(versions: readonly string[]): void {
    for (const version of versions) this.#drop(version);
    this.#fill();
  }

  /** Ends all pods, and resolves when the cluster has been told. With `forGood` it makes no more. */
  async clear(forGood = false): Promise<void> {
    this.#isClosed ||= forGood;
    for (const version of this.#groups.keys()) this.#drop(version);
    await Promise.all(this.#removals);
  }

  list(): WarmPod[] {
    return [...this.#groups.values()].flatMap(({ spec: { owner, version }, waiting }) =>
      [...waiting].map(({ job, handover }) => ({ owner, version, job, isReady: handover.isAsked })),
    );
  }

  #look(): void {
    const now = performance.now();
    const { idleMs } = this.#settings();
    for (const [version, group] of this.#groups) {
      if (now - group.usedAt > idleMs) {
        this.#drop(version);
        continue;
      }
      for (const one of group.waiting) {
        const isSilent = one.askedAt !== null && !one.handover.isAsked && now - one.askedAt > SILENT_MS;
        if (isSilent) this.#lose(group, one, 'it is not heard of any more');
        else if (now - one.since > WARM_POD_MS) this.#endOne(group, one);
        else if (one.askedAt === null && now - one.since > EXPLAIN_AFTER_MS) void this.#explain(group, one);
        if (one.handover.isAsked) one.askedAt = now;
      }
    }
    this.#fill();
  }

  /** Ends pods beyond the share of their owner, and makes those that are missing. */
  #fill(): void {
    const shares = sharesOf(
      [...this.#groups.values()].map(({ spec }) => spec),
      this.#settings().most,
    );
    const now = performance.now();
    for (const [version, group] of this.#groups) {
      const share = shares.get(version) ?? 0;
      for (const one of [...group.waiting].slice(share)) this.#endOne(group, one);
      if (now < Math.max(group.pausedUntil, this.#yieldedUntil)) continue;
      while (group.waiting.size < share) this.#add(group);
    }
  }

  #add(group: Group): void {
    const { spec } = group;
    const id = `warm-${randomBytes(12).toString('hex')}`;
    const token = randomBytes(32).toString('hex');
    const tokenHash = hashOf(token);
    const job = spec.jobOf(id);
    const handover = new Handover();
    const close = this.#transfers.open(id, {
      tokenHash,
      parts: spec.parts,
      input: null,
      claim: (pod) => {
        if (one.pod === '') one.pod = pod;
        return one.pod === pod;
      },
      receive: async (what, _segments, _query, request) => {
        if (request.method !== 'POST' || what !== 'wait') return [409, 'This pod has no execution yet.'];
        one.askedAt ??= performance.now();
        group.failures = 0;
        group.said = '';
        return handover.ask(request);
      },
    });
    const unfollow = spec.pods.follow(job, (pod) => {
      one.seen = pod ?? one.seen;
      if (pod !== null && !isOver(pod) && pod.metadata.deletionTimestamp === undefined) return;
      if (group.waiting.has(one))
        this.#lose(group, one, pod?.status?.message ?? pod?.status?.reason ?? 'it was removed');
    });
    const one: Waiting = {
      id,
      job,
      tokenHash,
      handover,
      unfollow,
      close,
      since: performance.now(),
      pod: '',
      seen: null,
      askedAt: null,
      made: Promise.resolve(),
    };
    group.waiting.add(one);
    one.made = spec.make({ id, token }).catch((error: unknown) => {
      if (group.waiting.has(one)) this.#lose(group, one, messageOf(error));
    });
  }

  /** Gives a pod up for which the cluster has no room, or which cannot start. */
  async #explain(group: Group, one: Waiting): Promise<void> {
    const isLate = performance.now() - one.since > GIVE_UP_MS;
    const ofJob = (): Promise<string | null> =>
      latestWarning(group.spec.api, one.job).catch((error: unknown) => messageOf(error));
    const why = one.seen === null ? await ofJob() : waitOf(one.seen);
    if (!group.waiting.has(one) || one.askedAt !== null) return;
    if (why !== null || isLate) this.#lose(group, one, why ?? 'it does not get ready');
  }

  /** Ends a pod that serves nobody, and waits longer each time before it makes another one. */
  #lose(group: Group, one: Waiting, why: string): void {
    const { version } = group.spec;
    // Each pod has a name of its own, with which the cluster names the same reason.
    const reason = why.replaceAll(new RegExp(`${one.job}[a-z0-9-]*`, 'g'), 'it');
    if (group.said !== reason) console.error(`a warm pod of version ${version} is ended: ${reason}`);
    group.said = reason;
    group.pausedUntil = performance.now() + Math.min(LONGEST_PAUSE_MS, AGAIN_MS * 2 ** Math.min(group.failures, 10));
    group.failures += 1;
    this.#endOne(group, one);
  }

  #drop(version: string): void {
    const group = this.#groups.get(version);
    if (group !== undefined) this.#end(group);
    this.#groups.delete(version);
    if (this.#groups.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #end(group: Group): void {
    for (const one of group.waiting) this.#endOne(group, one);
  }

  #endOne({ spec: { api }, waiting }: Group, one: Waiting): void {
    waiting.delete(one);
    one.close();
    one.unfollow();
    const removed = (async () => {
      await one.made;
      await removeJob(api, one.job, attemptOf(one));
    })()
      .catch((error: unknown) => {
        console.error(`job ${one.job} could not be removed yet: ${messageOf(error)}`);
        this.#stayed();
      })
      .finally(() => this.#removals.delete(removed));
    this.#removals.add(removed);
  }
}

/** Pods of each version: owners get one each in turn, for their versions in turn, until all are given out. */
export function sharesOf(wishes: readonly WarmPodsWish[], all: number): ReadonlyMap<string, number> {
  const shares = new Map(wishes.map(({ version }) => [version, 0]));
  const owners = [...Map.groupBy(wishes, ({ owner }) => owner).values()];
  const shareOf = ({ version }: WarmPodsWish): number => shares.get(version) ?? 0;
  for (let left = all, isFull = false; left > 0 && !isFull;) {
    isFull = true;
    for (const versions of owners) {
      const [next] = versions
        .filter((one) => shareOf(one) < one.most)
        .sort((one, other) => shareOf(one) - shareOf(other));
      if (next === undefined || left === 0) continue;
      shares.set(next.version, shareOf(next) + 1);
      left -= 1;
      isFull = false;
    }
  }
  return shares;
}
