import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import type { JobHeader, Settings } from '../protocol/messages.ts';
import {
  RuntimeUnavailable,
  StartRefused,
  type Code,
  type ContainerImage,
  type ExecutionEnd,
  type KnownExecution,
  type Limits,
  type Runtime,
} from '../types.ts';
import type { Containers } from '../containers/containers.ts';
import type { Kubernetes } from '../kubernetes/kubernetes.ts';
import type { LeftRun, Run } from './driver.ts';
import { Execution } from './execution.ts';
import type { RunnerContext } from './context.ts';
import type { Moment } from './moment.ts';
import { isOfDisk, recordEnd } from './record-end.ts';
import { Records, type LeftExecution } from './records.ts';
import { SandboxRun } from './sandbox-run.ts';
import { ServiceSandbox, type ServiceSpec } from './service-sandbox.ts';
import type { PrestartedSandboxes } from './prestarted-sandboxes.ts';
import type { WarmPool } from './warm-pool.ts';

/** Milliseconds between two log events of an execution. Clients do not redraw faster. */
const LOG_EVENT_MS = 50;
/** Milliseconds that a refusal waits for the removal of the attempt. Beyond them it is reported all the same. */
const RELEASE_MS = 2_000;
/** Milliseconds until an execution of an earlier runner is looked at again, for which the disk had no room. */
const LOOK_AGAIN_MS = 1_000;

/** Events for every connected platform. runner/main.ts sends them over the socket. */
interface ExecutionEvents {
  /** Arrives at the listeners of {@link Runtime.onEnded}. */
  readonly ended: Parameters<Runtime['onEnded']>[0];
  /** Arrives at the listeners of {@link Runtime.onLog}. */
  readonly log: Parameters<Runtime['onLog']>[0];
}

/** All executions of this data folder. Each runs at most once, and each end is recorded before it is reported. */
export class Executions {
  readonly #context: RunnerContext;
  readonly #records: Records;
  readonly #pool: WarmPool;
  readonly #prestarted: PrestartedSandboxes;
  readonly #containers: Containers;
  readonly #kubernetes: Kubernetes;
  readonly #settings: () => Settings;
  readonly #events: ExecutionEvents;
  readonly #running = new Map<string, Execution>();
  /** Executions of an earlier runner that wait for the disk, and the time of the first look at each. */
  readonly #untaken = new Map<string, number>();
  readonly #releases = new Set<Promise<void>>();
  #abandoned = false;

  constructor(
    context: RunnerContext,
    drivers: { pool: WarmPool; prestarted: PrestartedSandboxes; containers: Containers; kubernetes: Kubernetes },
    settings: () => Settings,
    events: ExecutionEvents,
  ) {
    this.#context = context;
    this.#records = new Records(context.paths.executions);
    this.#pool = drivers.pool;
    this.#prestarted = drivers.prestarted;
    this.#containers = drivers.containers;
    this.#kubernetes = drivers.kubernetes;
    this.#settings = settings;
    this.#events = events;
  }

  /**
   * Takes over the executions of an earlier runner. Containers and jobs go on; all others were lost with that runner.
   * All jobs are known before the first of their pods is answered: a pod that nobody knows gives up.
   */
  async takeOver(): Promise<void> {
    const take = async (one: LeftExecution): Promise<void> => {
      if (!(await this.#takeOne(one))) void this.#takeLater(one);
    };
    await Promise.all(this.#records.withoutEnd().map(take));
  }

  /** Returns false when the disk is full or away. A fault of one execution must not prevent the start of the runner. */
  async #takeOne({ executionId, folder }: LeftExecution): Promise<boolean> {
    try {
      const left = this.#reattach(executionId, folder);
      if (left === null) this.#events.ended(await this.#records.recordLost(executionId));
      else void this.#finish(this.#execute(executionId, left.run, left.limits, left.start), null);
      return true;
    } catch (error) {
      console.error(`what became of ${executionId} is not known yet: ${messageOf(error)}`);
      return false;
    }
  }

  /** Null for an execution that was lost with its runner, and for one whose record cannot be understood. */
  #reattach(executionId: string, folder: string): LeftRun | null {
    try {
      return this.#containers.reattach(folder) ?? this.#kubernetes.reattach(executionId, folder);
    } catch (error) {
      if (isOfDisk(error)) throw error;
      console.error(`the record of ${executionId} cannot be read: ${messageOf(error)}`);
      return null;
    }
  }

  async #takeLater(one: LeftExecution): Promise<void> {
    this.#untaken.set(one.executionId, Date.now());
    this.#kubernetes.isTakingOver = true;
    do await pause(LOOK_AGAIN_MS, null, { ref: false });
    while (!this.#abandoned && !(await this.#takeOne(one)));
    this.#untaken.delete(one.executionId);
    this.#kubernetes.isTakingOver = this.#untaken.size > 0;
  }

  get count(): number {
    return this.#running.size;
  }

  list(): KnownExecution[] {
    return this.#records.list(
      (executionId) => this.#running.get(executionId)?.startedAt ?? this.#untaken.get(executionId) ?? null,
    );
  }

  running(): { executionId: string; pid: number }[] {
    return [...this.#running].map(([executionId, { pid }]) => ({ executionId, pid }));
  }

  cancel(executionId: string): void {
    this.#running.get(executionId)?.cancel();
  }

  /** Frees the slot of an execution soon, even if its processes do not end or its record cannot be written. */
  end(executionId: string): void {
    this.#running.get(executionId)?.free();
  }

  forget(executionId: string): void {
    if (this.#running.has(executionId) || this.#untaken.has(executionId)) return;
    this.#context.workFolders.remove(this.#records.folder(executionId));
  }

  /**
   * Ends all executions that cannot outlive the runner, without recording an end. The next runner reports these as
   * LOST.
   */
  abandonAll(): void {
    this.#abandoned = true;
    for (const execution of this.#running.values()) execution.abandon();
  }

  /** @throws StartRefused when it could not be started. The leftovers of the attempt then block no other. */
  async start(job: JobHeader, input: Buffer): Promise<'STARTED' | 'ALREADY_KNOWN'> {
    const { executionId, limits } = job;
    if (this.#records.isKnown(executionId)) return 'ALREADY_KNOWN';
    const missing = this.#context.guards.missingBytes;
    if (missing > 0) throw new RuntimeUnavailable(diskFull(this.#context.paths.runtimeDir, missing));
    let execution: Execution;
    try {
      const run = this.#runOf(job, input);
      execution = this.#execute(executionId, run, limits, job);
    } catch (error) {
      this.forget(executionId);
      throw new StartRefused(messageOf(error));
    }
    const early = await execution.settled();
    if (early?.outcome !== 'NOT_STARTED') {
      void this.#finish(execution, this.#kubernetes.isUsed ? null : specOf(job));
      return 'STARTED';
    }
    await Promise.race([this.#release(execution), pause(RELEASE_MS)]);
    this.#running.delete(executionId);
    this.forget(executionId);
    throw new StartRefused(execution.refusal);
  }

  /** @param from its job, or when an earlier runner has started it. */
  #execute(executionId: string, run: Run, limits: Limits, from: JobHeader | Moment): Execution {
    const job = 'at' in from ? null : from;
    try {
      if (job !== null) this.#records.keepNote(executionId, job.note ?? '');
      const execution = new Execution(
        {
          executionId,
          folder: this.#records.folder(executionId),
          claimed: this.#records.flushClaims(),
          limits,
          cancelGraceMs: () => this.#settings().cancelGraceMs,
          memoryIsRefused: this.#context.limitedBy === 'RLIMITS',
          guards: this.#context.guards,
          onLog: this.#logEvents(executionId),
          ...(job?.notices && { notices: job.notices }),
          start: 'at' in from ? from : undefined,
        },
        run,
      );
      this.#running.set(executionId, execution);
      return execution;
    } catch (error) {
      run.abandon();
      throw error;
    }
  }

  #runOf(job: JobHeader, input: Buffer): Run {
    const { code } = job;
    if ('image' in code ? this.#kubernetes.takesImages : this.#kubernetes.isUsed)
      return this.#kubernetes.prepare(job, input, this.#records.claim(job.executionId), this.#context.root.python);
    return 'image' in code ? this.#inContainer(job, code, input) : this.#inSandbox(job, code, input);
  }

  #inContainer(job: JobHeader, code: ContainerImage, input: Buffer): Run {
    if (code.build !== undefined) throw new Error('This worker has no registry for images.');
    return this.#containers.prepare(job, code, input, this.#records.claim(job.executionId));
  }

  #inSandbox(job: JobHeader, code: Code, input: Buffer): Run {
    const { executionId, environment, secretEnvironment = {}, limits, dataPools, secrets } = job;
    const folder = this.#records.folder(executionId);
    const spec = { code, environment, hosts: job.hosts ?? [], limits };
    const warm = dataPools.length === 0 && job.warm !== false ? this.#pool.take(spec) : null;
    const waiting = warm === null ? this.#prestarted.take(folder, limits.fileBytes) : null;
    if (warm === null && waiting === null) this.#records.claim(executionId);
    const service = warm ?? waiting ?? new ServiceSandbox(this.#context, folder, limits, null);
    service.executionId = executionId;
    const names = dataPools.map(({ parameter }) => parameter);
    try {
      if (warm === null) service.begin(spec, { warm: false, dataPools });
      else this.#records.claim(executionId);
    } catch (error) {
      service.end();
      throw error;
    }
    const handover = { secrets, environment: secretEnvironment, dataPools: names, input };
    const writable = dataPools.filter((pool) => pool.writable);
    return new SandboxRun(service, handover, folder, writable);
  }

  /** @param spec describes the next worker for this code, or null when the pool needs none. */
  async #finish(execution: Execution, spec: ServiceSpec | null): Promise<void> {
    const { executionId } = execution;
    const ended = await execution.ended;
    if (this.#abandoned) return;
    const end = await recordEnd(this.#records, () => this.#withRecord(ended), ended, execution.freed);
    this.#running.delete(executionId);
    this.#events.ended(end);
    void this.#release(execution);
    if (spec === null) return;
    if (end.outcome === 'NOT_STARTED') this.#pool.blame(spec);
    this.#pool.want(spec);
  }

  /** Resolves when the drivers keep nothing of executions that are over. */
  async released(): Promise<void> {
    await Promise.all(this.#releases);
  }

  async #release(execution: Execution): Promise<void> {
    const released = execution.release().finally(() => this.#releases.delete(released));
    this.#releases.add(released);
    await released;
  }

  /** Adds the facts that only the record of an execution needs. */
  #withRecord(end: ExecutionEnd): ExecutionEnd {
    const { limitedBy, version } = this.#context;
    const measured = end.cpuMs !== null || end.peakMemoryBytes !== null;
    return {
      ...end,
      measuredBy: measured ? (end.measuredBy ?? (limitedBy === 'RLIMITS' ? null : limitedBy)) : null,
      runnerVersion: version,
      ...this.#records.note(end.executionId),
    };
  }

  #logEvents(executionId: string): (bytes: number) => void {
    let published = 0;
    let known = 0;
    let timer: NodeJS.Timeout | null = null;
    const publish = (): void => {
      timer = null;
      if (known === published) return;
      published = known;
      this.#events.log(executionId, known);
      timer = setTimeout(publish, LOG_EVENT_MS);
    };
    return (bytes) => {
      known = bytes;
      if (timer === null) publish();
    };
  }
}

function diskFull(dir: string, missing: number): string {
  return `The disk of ${dir} is nearly full: free ${Math.ceil(missing / 2 ** 20)} MiB more, and executions start again.`;
}

/**
 * Null when a warm worker cannot serve the job. A waiting sandbox has no data pools, as they are mounted when it is
 * made.
 */
function specOf({ code, environment, hosts = [], limits, dataPools, warm }: JobHeader): ServiceSpec | null {
  const never = 'image' in code || dataPools.length > 0 || warm === false;
  return never ? null : { code, environment, hosts, limits };
}
