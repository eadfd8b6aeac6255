import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readOutputFailure, readOutputResult, RESULT_FILE } from '../containers/output-result.ts';
import { messageOf } from '../errors.ts';
import type { Run } from '../runner/driver.ts';
import type { LineSink } from '../runner/log-file.ts';
import { keepWritten, type Written } from '../runner/result.ts';
import { waitingNotice } from '../runner/waiting-notice.ts';
import type { Exit } from '../sandbox/sandbox.ts';
import type { Cause, DataPoolMount, Limits, Severity } from '../types.ts';
import { ClusterAway, ClusterRefusal, shortened, type ClusterApi } from './api.ts';
import {
  causeOfCluster,
  endedSilently,
  hasStarted,
  isFull,
  isOver,
  latestWarning,
  programEnd,
  waitOf,
  type Pod,
} from './pod.ts';
import { isJobOver, removeJob, type Job } from './jobs.ts';
import { ATTEMPT, endMark, LABELS } from './objects.ts';
import { followLog, type LogEnd } from './pod-log.ts';
import type { Pods } from './pods.ts';
import type { Claims } from './claims.ts';

/** Milliseconds between two questions to a cluster that does not answer, and for the reason why nothing begins. */
const AGAIN_MS = 500;
const LOOK_MS = 5_000;
/** Milliseconds after which the log says why the program has not begun. */
const EXPLAIN_AFTER_MS = 10_000;
/** Milliseconds for the output after the end of a pod: what was sent last may still be written. */
const LAST_OUTPUT_MS = 2_000;
/** Milliseconds for which a waiting execution keeps others from its room. Then it may be too large for the cluster. */
const ROOM_MS = 300_000;
const REMOVE_ATTEMPTS = 20;
/** Reasons for waiting that are logged. Further ones are left out. */
const MOST_REASONS = 20;
/** Words of a node for an image of a service that its registry does not have. */
const IMAGE_LOST = /container program cannot start .*(: not found|manifest unknown)/;
const AS_NEW_VERSION =
  'The registry has lost the image of this version. Cancel the execution, and upload the same source as a new version.';
const LINES_MISSING: Readonly<Record<Exclude<LogEnd, 'WHOLE'>, string>> = {
  REMOVED: 'The pod was removed before its log was read to the end: lines may be missing.',
  CUT: 'The log of the pod ends before its program did: lines may be missing.',
};
const LEFT_ALONE =
  'The data folder has been copied or moved since this program began: it is not ended, and is not followed any more.';
/** Causes that do not say whether the program had finished, when its node reported no end. */
const UNCERTAIN = ['PodDeleted', 'NodeClosed'];
const NOTHING = { code: null, signal: null, outOfMemory: false, peakMemoryBytes: null, cpuMs: null };

/** The cluster around a run. */
export interface Cluster {
  readonly api: ClusterApi;
  readonly pods: Pods;
  /** Makes the job and what belongs to it. Null when an earlier runner has made it. */
  readonly make: (() => Promise<void>) | null;
  /** Milliseconds from SIGTERM to the kill of a cancelled program. */
  graceMs(): number;
  /** Called when the job was removed. The cluster removes what belongs to it. */
  released(): void;
  /** Called when the job could not be removed after many attempts. */
  stayed(): void;
  /** Called again and again for the first minutes in which it waits for room in the cluster. */
  lacksCapacity(): void;
}

export interface JobRunOptions {
  readonly job: string;
  /** The attempt that its pods belong to. */
  readonly attempt: string;
  readonly folder: string;
  readonly output: string;
  readonly pools: readonly DataPoolMount[];
  readonly limits: Limits;
  /** True if its pod marks the end of its log. */
  readonly marksEnd: boolean;
  /** True if its result is the file `output.json` of its output, which may be missing. */
  readonly leavesFile: boolean;
  /** True if another place of this data folder has made the job, and may be following it as well. Default false. */
  readonly isOfOtherPlace?: boolean;
  /** Set when its input cannot be handed over, in words for its sender. Nothing is made in the cluster then. */
  readonly inputRefused?: string | null;
}

/** A run as a job of a cluster. It outlives the runner; the next runner follows it by the name of its job. */
export class KubernetesRun implements Run {
  readonly pid = 0;
  readonly uid = null;
  readonly output: string;
  readonly pools: readonly DataPoolMount[];
  readonly ended: Promise<Exit>;
  readonly settled: Promise<void>;
  readonly begins: Promise<number>;
  readonly resultIsOptional: boolean;
  readonly resultFile?: string;
  readonly refusal = 'The cluster did not take the job';
  readonly #cluster: Cluster;
  readonly #claims: Claims;
  readonly #options: JobRunOptions;
  readonly #abandoned = new AbortController();
  readonly #dropped = new AbortController();
  readonly #settle = Promise.withResolvers<void>();
  readonly #end = Promise.withResolvers<Exit>();
  /** Resolves when its last state is known: the pod has ended or is gone, or the job is gone without one. */
  readonly #podOver = Promise.withResolvers<void>();
  #sink: LineSink = () => undefined;
  #pod: Pod | null = null;
  #isGone = false;
  /** Reason why there is no pod, when there is none. */
  #absence = 'its pod was removed from the cluster';
  #isOver = false;
  #isUnwanted = false;
  #failure: Cause | null = null;
  #exitCode = 0;
  #log: Promise<LogEnd> | null = null;
  /** Resolves when the program has ended, or its pod is gone. */
  readonly #programOver = Promise.withResolvers<void>();
  #unfollow: () => void = () => undefined;
  #begun = false;
  /** Time at which the cluster first had no room (monotonic milliseconds). */
  #fullSince: number | null = null;
  readonly #logged = new Set<string>();

  constructor(cluster: Cluster, claims: Claims, options: JobRunOptions) {
    this.#cluster = cluster;
    this.#claims = claims;
    this.#options = options;
    this.output = options.output;
    this.pools = options.pools;
    this.resultIsOptional = options.leavesFile;
    if (options.leavesFile) this.resultFile = RESULT_FILE;
    this.ended = this.#end.promise;
    this.settled = this.#settle.promise;
    this.begins = claims.begins;
  }

  processes(): readonly number[] {
    return [];
  }

  follow(sink: LineSink): void {
    this.#sink = sink;
  }

  drop(): void {
    this.#dropped.abort();
  }

  start(): void {
    if (this.#begun) return;
    this.#begun = true;
    void this.#live().then((exit) => {
      if (this.#abandoned.signal.aborted) return;
      this.#unfollow();
      this.#isOver = true;
      this.#end.resolve(exit);
    });
  }

  terminate(): void {
    this.#isUnwanted = true;
    // A node does not shorten a time of grace that has begun, so the first deletion names it.
    this.#stop(Math.max(1, Math.ceil(this.#cluster.graceMs() / 1_000)));
  }

  kill(): void {
    this.#isUnwanted = true;
    // A deletion without a second of grace would forget the pod without knowing that it has ended.
    this.#stop(1);
  }

  abandon(): void {
    this.#abandoned.abort();
    this.#dropped.abort();
    this.#unfollow();
  }

  tookJob(): boolean {
    return true;
  }

  async readResult(limits: Limits): Promise<Written> {
    if (this.#failure !== null) return { kind: 'FAILURE', cause: this.#failure };
    const { folder, leavesFile } = this.#options;
    if (!leavesFile) return keepWritten(this.#claims.written, join(folder, 'result.json'), limits.resultBytes);
    const written = await readOutputResult(this.output, folder, limits.resultBytes, null);
    if (this.#exitCode === 0 || written.kind !== 'RESULT') return written;
    return readOutputFailure(this.output) ?? written;
  }

  async release(): Promise<void> {
    this.#claims.close();
    if (this.#isOthers) return;
    for (let attempt = 1; ; attempt++) {
      try {
        await removeJob(this.#cluster.api, this.#options.job, this.#options.attempt);
        this.#cluster.released();
        return;
      } catch (error) {
        if (attempt === REMOVE_ATTEMPTS) {
          console.error(`job ${this.#options.job} could not be removed yet: ${messageOf(error)}`);
          this.#cluster.stayed();
          return;
        }
        await pause(AGAIN_MS * attempt, null, { ref: false });
      }
    }
  }

  async #live(): Promise<Exit> {
    const { make, pods } = this.#cluster;
    const { inputRefused = null } = this.#options;
    if (inputRefused !== null) {
      this.#settle.resolve();
      this.#failure = { type: 'InputRefused', title: 'Input refused', detail: inputRefused };
      this.#note('ERROR', inputRefused);
      return { ...refused(), commandRan: true };
    }
    const why = make === null ? null : await this.#make(make);
    if (why !== null) {
      // Without an answer the job may exist. Its pod is refused here, and the job is removed.
      if (this.#claims.refuse()) await this.#claims.givenUp;
      if (!this.#isUnwanted) this.#note('ERROR', `${this.refusal}: ${why}`);
      return refused();
    }
    this.#settle.resolve();
    this.#unfollow = pods.follow(this.#options.job, (pod, uid) => this.#see(pod, uid));
    void this.#explain();
    await this.#podOver.promise;
    return this.#judge();
  }

  /** Makes the job, for as long as it takes. Returns the reason of a refusal that time does not mend. */
  async #make(make: () => Promise<void>): Promise<string | null> {
    for (let attempt = 0; ; attempt++) {
      if (this.#isUnwanted || this.#abandoned.signal.aborted) return 'it was ended before its start';
      try {
        await make();
        return null;
      } catch (error) {
        const mends =
          error instanceof ClusterAway || (error instanceof ClusterRefusal && /exceeded quota/.test(error.message));
        if (!mends) return messageOf(error);
        // The start is over for its caller: from here on the log says what the execution waits for.
        this.#settle.resolve();
        this.#wait(messageOf(error));
        await pause(Math.min(LOOK_MS, AGAIN_MS * 2 ** Math.min(attempt, 10)), null, { ref: false });
      }
    }
  }

  /** Says what the execution waits for, each reason once, to its owner and to the operator. */
  #wait(why: string): void {
    if (this.#log === null && isFull(why)) {
      this.#fullSince ??= performance.now();
      if (performance.now() - this.#fullSince < ROOM_MS) this.#cluster.lacksCapacity();
    }
    // The program may have begun while the cluster was asked for the reason.
    if (this.#log !== null || this.#logged.has(why) || this.#logged.size >= MOST_REASONS) return;
    this.#logged.add(why);
    this.#note('NOTICE', waitingNotice(why));
    console.error(`${this.#options.job} waits: ${why}`);
  }

  /** Takes a new state of a pod. Of several pods only the one that has claimed the execution counts. */
  #see(pod: Pod | null, uid: string): void {
    if (this.#isOver) return;
    // A pod of an earlier attempt under the same name may still be leaving.
    const attempt = pod?.metadata.annotations?.[ATTEMPT];
    if (attempt !== undefined && attempt !== this.#options.attempt) return;
    const owner = this.#claims.pod;
    if (owner !== null && owner !== uid) return;
    if (pod === null) {
      if (this.#pod?.metadata.uid !== uid && owner !== uid) return;
      this.#lose();
      return;
    }
    this.#pod = pod;
    const isEnded = (one: Pod): boolean => programEnd(one) !== null || isOver(one);
    if (isEnded(pod)) this.#programOver.resolve();
    if (hasStarted(pod) && this.#log === null) {
      const state = {
        over: this.#programOver.promise,
        isOver: () => isEnded(this.#pod ?? pod) || this.#isGone,
        isGone: () => this.#isGone,
        mark: this.#options.marksEnd ? endMark(this.#options.attempt) : null,
        endedSilently: () => endedSilently(this.#pod ?? pod),
      };
      this.#log = followLog(
        this.#cluster.api,
        pod.metadata.name,
        state,
        (line) => this.#sink(line),
        this.#dropped.signal,
      );
    }
    // A node that ends a pod starts no program in it any more, and may take the whole time of grace.
    const isLeaving = pod.metadata.deletionTimestamp !== undefined;
    if (isOver(pod) || (isLeaving && this.#claims.refuse())) this.#podOver.resolve();
    else if (programEnd(pod) !== null && this.#claims.isDone) this.#podOver.resolve();
    else if (programEnd(pod) !== null) void this.#claims.done.then(() => this.#podOver.resolve());
  }

  /** True unless the job is ours to end and to remove. A pod that has brought everything here works for nobody else. */
  get #isOthers(): boolean {
    return this.#options.isOfOtherPlace === true && !this.#claims.isDone;
  }

  /** Takes its pod for gone. */
  #lose(): void {
    this.#isGone = true;
    this.#programOver.resolve();
    this.#podOver.resolve();
  }

  async #judge(): Promise<Exit> {
    const pod = this.#pod;
    const end = pod === null ? null : programEnd(pod);
    if (this.#claims.refuse()) {
      await this.#claims.givenUp;
      return this.#notBegun(pod);
    }
    if (pod === null) return lost();
    // A node can end a program before it has said that it began.
    const log = this.#log === null ? 'REMOVED' : await this.#log;
    if (log !== 'WHOLE') this.#note('WARNING', LINES_MISSING[log]);
    const cause = causeOfCluster(pod, this.#options.limits);
    if (end === null) {
      if (cause === null || UNCERTAIN.includes(cause.type) || this.#isUnwanted) return lost();
      this.#blame(cause);
      return { ...NOTHING, code: 1, commandRan: true };
    }
    this.#exitCode = end.exitCode;
    const exit = { ...NOTHING, code: end.exitCode, commandRan: true, outOfMemory: end.reason === 'OOMKilled' };
    if (exit.outOfMemory || this.#isUnwanted) return exit;
    if (cause !== null && end.exitCode !== 0) {
      this.#blame(cause);
      return exit;
    }
    if (!this.#claims.isDone) await Promise.race([this.#claims.done, pause(LAST_OUTPUT_MS)]);
    // A program that has ended well, whose result did not come: nobody can say what it was.
    return this.#claims.isDone || end.exitCode !== 0 ? exit : lost();
  }

  #blame(cause: Cause): void {
    this.#failure = cause;
    this.#note('ERROR', `${cause.title}: ${cause.detail}`);
  }

  /** Judges a pod in which no code of the service has run, and none will. */
  #notBegun(pod: Pod | null): Exit {
    const end = pod === null ? null : programEnd(pod);
    const why =
      pod?.status?.reason === undefined
        ? (end?.message ?? end?.reason ?? this.#absence)
        : `${pod.status.reason}: ${pod.status.message ?? ''}`;
    if (!this.#isUnwanted) this.#note('ERROR', `The program did not begin: ${shortened(why)}`);
    return refused();
  }

  /** Says in the log why the program has not begun, each reason once, and notices a job that has no pod and gets none. */
  async #explain(): Promise<void> {
    const { api, make } = this.#cluster;
    const { job } = this.#options;
    const signal = this.#abandoned.signal;
    for (let waited = 0; !this.#isOver && !signal.aborted && this.#log === null; waited += LOOK_MS) {
      await pause(LOOK_MS, null, { signal }).catch(() => undefined);
      if (this.#log !== null || this.#isOver || signal.aborted) return;
      try {
        const found = await api.find<Job>(`jobs/${job}`);
        // An earlier runner has ended before it let the job begin, and nobody else does.
        const isForgotten = make === null && found?.spec?.suspend === true;
        const hasNoPod = found === null || isForgotten || (await this.#hasLostPod(found));
        if (hasNoPod && this.#pod === null) {
          if (isForgotten) this.#absence = 'the runner ended before it had made all of its job';
          this.#lose();
          return;
        }
        if (waited + LOOK_MS < EXPLAIN_AFTER_MS) continue;
        const why =
          this.#pod === null
            ? await latestWarning(api, job)
            : (waitOf(this.#pod) ?? (await latestWarning(api, this.#pod.metadata.name)));
        if (why !== null)
          this.#wait(this.#options.leavesFile && IMAGE_LOST.test(why) ? `${why} ${AS_NEW_VERSION}` : why);
      } catch (error) {
        if (!(error instanceof ClusterAway || error instanceof ClusterRefusal)) throw error;
        this.#wait(messageOf(error));
      }
    }
  }

  /** Returns true for a job that is over and has no pod: it was removed while no runner looked. */
  async #hasLostPod(job: Job): Promise<boolean> {
    if (this.#pod !== null || !isJobOver(job)) return false;
    const query = { labelSelector: `${LABELS.job}=${this.#options.job}`, limit: 1 };
    const { items } = await this.#cluster.api.ask<{ items: readonly Pod[] }>('GET', 'pods', { query });
    return items.length === 0;
  }

  /** Asks the cluster to end the pod, again and again until it is over. Before the program begins, nothing will run: it ends here. */
  #stop(gracePeriodSeconds: number): void {
    if (this.#claims.refuse()) {
      if (!this.#begun) void this.#claims.givenUp.then(() => this.#end.resolve(refused()));
      this.#begun = true;
      this.#podOver.resolve();
      return;
    }
    if (this.#isOthers) {
      this.#note('WARNING', LEFT_ALONE);
      // Its log grows for as long as the program runs.
      this.#dropped.abort();
      this.#lose();
      return;
    }
    void (async () => {
      while (!this.#isOver && !this.#abandoned.signal.aborted && !this.#isGone) {
        const name = this.#pod?.metadata.name;
        try {
          if (name !== undefined) {
            await this.#cluster.api.remove(`pods/${name}`, { gracePeriodSeconds });
            return;
          }
        } catch (error) {
          console.error(`pod ${name ?? ''} could not be ended yet: ${messageOf(error)}`);
        }
        await pause(AGAIN_MS, null, { ref: false });
      }
    })();
  }

  #note(severity: Severity, message: string): void {
    this.#sink({ timestamp: new Date().toISOString(), severity, message }, 'OURS');
  }
}

/** Makes the folders of a run for what its pod will bring. */
export function makeFolders(folder: string, pools: readonly DataPoolMount[]): void {
  mkdirSync(join(folder, 'output'), { mode: 0o700 });
  for (const { path } of pools) mkdirSync(path, { mode: 0o700, recursive: true });
}

function refused(): Exit {
  return { ...NOTHING, code: 1, commandRan: false };
}

function lost(): Exit {
  return { ...NOTHING, commandRan: true, lost: true };
}
