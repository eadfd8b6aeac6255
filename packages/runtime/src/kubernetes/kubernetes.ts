import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { installationOf, type Installation } from '../containers/installation.ts';
import { OtherPlaces } from '../containers/other-places.ts';
import { createAddressRules } from '../egress/address-rules.ts';
import { messageOf } from '../errors.ts';
import type { RunnerPaths } from '../paths.ts';
import type { JobHeader } from '../protocol/messages.ts';
import { END } from '../runner/records.ts';
import type { LeftRun, Run } from '../runner/driver.ts';
import { momentNow } from '../runner/moment.ts';
import type { Code } from '../types.ts';
import { ClusterApi } from './api.ts';
import { Claims, keepJob, readJob, type KeptJob } from './claims.ts';
import type { Handover } from './handover.ts';
import { KubernetesRun, makeFolders, type Cluster, type JobRunOptions } from './kubernetes-run.ts';
import { createJob, removeRests } from './jobs.ts';
import { attemptOf, idLabel, jobName, LABELS, type Destination, type Order } from './objects.ts';
import { Pods } from './pods.ts';
import { buildProgram, imageProgram, pythonProgram, type ClusterProgram } from './programs.ts';
import type { KubernetesSettings } from './settings.ts';
import { WarmPods, type Reservation, type Taken, type WarmSettings, type WarmSpec } from './warm-pods.ts';
import { WarmRun } from './warm-run.ts';
import { certificatesOf } from '../transfers/tls.ts';
import { hashOf, Transfers } from '../transfers/transfers.ts';

/** Bytes of the secrets of an execution. A secret of a cluster holds 1 MiB. */
const SECRET_BYTES = 900_000;
/** Milliseconds until the next attempt to remove leftovers. */
const SWEEP_AGAIN_MS = 30_000;
/** Milliseconds after which a busy API server has made the last job that an earlier runner has asked for. */
const LATE_MS = 90_000;
/** Milliseconds until the next look at jobs of another place, and at pods of jobs that were removed. */
const LOOK_AGAIN_MS = 60_000;

interface Connected {
  readonly api: ClusterApi;
  readonly pods: Pods;
}

/** Runs executions as jobs of a cluster: the driver for Kubernetes. */
export class Kubernetes {
  readonly #paths: RunnerPaths;
  readonly #installation: Installation;
  readonly #transfers = new Transfers();
  readonly #networks: () => readonly string[];
  readonly #graceMs: () => number;
  readonly #warm: WarmPods;
  #settings: KubernetesSettings | null = null;
  /** Connections by their settings: the namespaces of executions and of builds, also of earlier settings. */
  readonly #connected = new Map<string, Connected>();
  #sweepsAgain = false;
  #lacksLabels = false;
  readonly #others = new OtherPlaces('jobs of Kubernetes');

  constructor(
    paths: RunnerPaths,
    networks: () => readonly string[],
    graceMs: () => number,
    warm: () => WarmSettings = () => ({ most: 0, idleMs: 0 }),
  ) {
    this.#graceMs = graceMs;
    this.#warm = new WarmPods(this.#transfers, warm, () => this.#sweepAgain());
    this.#paths = paths;
    this.#installation = installationOf(paths.runtimeDir);
    this.#networks = networks;
  }

  /** Pods that wait for executions. */
  get warm(): Pick<WarmPods, 'list' | 'clear' | 'endVersions'> {
    return this.#warm;
  }

  /** True when Python services run in a cluster. */
  get isUsed(): boolean {
    return this.#settings !== null;
  }

  /** Sets the cluster for the next executions, and removes what earlier runners of this installation left there. */
  async use(settings: KubernetesSettings | null): Promise<void> {
    const isNew = settings !== null && JSON.stringify(settings) !== JSON.stringify(this.#settings);
    this.#settings = settings;
    if (settings === null || isNew) void this.#warm.clear();
    if (!isNew) return;
    await this.#transfers.listen(settings.port, settings.tls);
    this.#connect(settings);
    this.#sweep();
    setTimeout(() => this.#sweep(), LATE_MS).unref();
  }

  /** Set while executions of an earlier runner are not known yet. Pods that nobody knows ask again then. */
  set isTakingOver(is: boolean) {
    this.#transfers.isTakingOver = is;
  }

  /** True when images run in the cluster as well. */
  get takesImages(): boolean {
    return (this.#settings?.registry ?? null) !== null;
  }

  /** @throws when the folders cannot be made, or are not there. */
  prepare(job: JobHeader, input: Buffer, folder: string, usualPython: string): Run {
    const settings = this.#settings;
    if (settings === null) throw new Error('This worker has no cluster.');
    const { code } = job;
    const registry = settings.registry ?? null;
    if (!('image' in code)) {
      const python = code.python ?? usualPython;
      const key = keyOf(settings, job, code, python);
      return this.#run(settings, job, pythonProgram(job, code, input, folder, python), folder, key);
    }
    if (registry === null) throw new Error('This worker has no registry for images.');
    if (code.build === undefined)
      return this.#run(settings, job, imageProgram(job, code, input, folder, registry), folder, null);
    const program = buildProgram(code, code.build, registry);
    return this.#run({ ...settings, namespace: registry.buildNamespace }, job, program, folder, null);
  }

  /** @param key equal for executions that one pod can serve; null when no pod waits for executions. */
  #run(settings: KubernetesSettings, job: JobHeader, program: ClusterProgram, folder: string, key: string | null): Run {
    const { executionId, limits, dataPools } = job;
    if (Buffer.byteLength(program.handover) > SECRET_BYTES)
      throw new Error(`The secrets of an execution may have ${SECRET_BYTES} bytes together in a cluster.`);
    // A pod brings its copies of writable pools as a whole, so they have folders of their own here.
    const poolFolders = Object.fromEntries(
      dataPools.flatMap(({ writable }, index) =>
        writable ? [[String(index), join(folder, 'pools', String(index))]] : [],
      ),
    );
    const pools = dataPools.flatMap((pool, index) =>
      pool.writable ? [{ ...pool, path: poolFolders[index] ?? '' }] : [],
    );
    const poolParts = dataPools.map(({ path }, index) => [`pool${index}`, { from: path, to: `pools/${index}` }]);
    makeFolders(folder, pools);
    const { at: startedAt, tick: startTick } = momentNow();
    const { id: installation, place } = this.#installation;
    const base = {
      settings,
      installation,
      place,
      limits,
      startedAt,
      startTick,
      parts: { ...program.parts, ...(Object.fromEntries(poolParts) as KeptJob['parts']) },
      pools,
      poolFolders,
      asks: true,
      marksEnd: true,
      leavesFile: program.leavesFile,
    };
    const prepared = (kept: KeptJob, make: () => Promise<void>, handover: Handover | null): [Claims, KubernetesRun] => {
      keepJob(folder, kept);
      const claims = new Claims(folder, executionId, kept, this.#transfers, handover);
      const options = { ...optionsOf(kept, folder), inputRefused: program.inputRefused ?? null };
      return [claims, new KubernetesRun(this.#around(settings, make), claims, options)];
    };
    const inOwnPod = (): KubernetesRun => {
      const token = randomBytes(32).toString('hex');
      const kept = { ...base, job: jobName(this.#installation.place, executionId), tokenHash: hashOf(token) };
      const make = (): Promise<void> => this.#make(settings, job, program, { id: executionId, token });
      return prepared(kept, make, null)[1];
    };
    const inWarmPod = (taken: Taken): WarmRun => {
      const { id: reservation, job: name, tokenHash, pod, handover } = taken;
      const make = (): Promise<void> => {
        handover.give(program.handover);
        this.#label(settings, taken, executionId);
        return Promise.resolve();
      };
      try {
        const kept = { ...base, job: name, tokenHash, reservation, pod };
        return new WarmRun(taken, ...prepared(kept, make, handover), inOwnPod);
      } catch (error) {
        taken.close();
        taken.unfollow();
        this.#sweepAgain();
        throw error;
      }
    };
    const spec = key === null ? null : this.#warmSpec(settings, job, program, key);
    const taken = spec === null ? null : this.#warm.take(spec);
    const run = taken === null ? inOwnPod() : inWarmPod(taken);
    if (spec !== null) void run.begins.then(() => this.#warm.want(spec));
    return run;
  }

  /** Makes the job of an execution, or of a pod that waits for one. */
  async #make(
    settings: KubernetesSettings,
    { environment, dataPools, limits, gpus, hosts = [] }: Omit<JobHeader, 'secrets'>,
    program: ClusterProgram,
    { id, token }: Reservation,
    warmFor?: string,
  ): Promise<void> {
    const port = await this.#transfers.listen(settings.port, settings.tls);
    const order: Order = {
      settings,
      job: jobName(this.#installation.place, id),
      installation: this.#installation.id,
      place: this.#installation.place,
      attempt: attemptOf({ tokenHash: hashOf(token) }),
      executionId: id,
      environment,
      dataPools,
      limits,
      gpus: gpus?.count ?? 0,
      certificates: certificatesOf(settings.tls),
      ours: await this.#ours(settings, port),
      hosts: [
        ...(await Promise.all(hosts.map((host) => this.#destination(host)))),
        ...(await Promise.all(program.hosts.map((host) => destinationOf(host, () => true)))),
      ],
      ...(warmFor !== undefined && { warmFor }),
    };
    await createJob(this.#connect(settings).api, order, program, token);
  }

  /** Pods that its owner wishes for further executions like this one. It holds nothing that is of this execution alone. */
  #warmSpec(settings: KubernetesSettings, job: JobHeader, given: ClusterProgram, key: string): WarmSpec | null {
    const { warmPods, dataPools } = job;
    if (warmPods === undefined || dataPools.length > 0) return null;
    const { secrets: _secrets, secretEnvironment: _environment, ...others } = job;
    const program = { ...given, handover: '' };
    return {
      ...warmPods,
      key,
      parts: program.parts,
      ...this.#connect(settings),
      jobOf: (id) => jobName(this.#installation.place, id),
      make: (reservation) => this.#make(settings, others, program, reservation, warmPods.version),
    };
  }

  /** Shows an operator which execution the pod has. Older rights of ours do not allow it for pods, which is said once. */
  #label(settings: KubernetesSettings, { job, seen }: Taken, executionId: string): void {
    const { api } = this.#connect(settings);
    const body = { metadata: { labels: idLabel(LABELS.execution, executionId) } };
    for (const path of [`jobs/${job}`, ...(seen === null ? [] : [`pods/${seen.metadata.name}`])])
      api.ask('PATCH', path, { body }).catch((error: unknown) => {
        if (!this.#lacksLabels) console.error(`${path} has no label with its execution: ${messageOf(error)}`);
        this.#lacksLabels = true;
      });
  }

  #around(settings: KubernetesSettings, make: (() => Promise<void>) | null): Cluster {
    return {
      ...this.#connect(settings),
      make,
      graceMs: this.#graceMs,
      released: () => this.#sweepAgain(LOOK_AGAIN_MS),
      stayed: () => this.#sweepAgain(),
      lacksCapacity: () => this.#warm.yield(),
    };
  }

  /**
   * The run that an earlier runner has begun in this execution folder. Null when that was no job of a cluster, or one of
   * another installation, whose data folder was copied.
   */
  reattach(executionId: string, folder: string): LeftRun | null {
    const kept = readJob(folder);
    if (kept === null) return null;
    const { settings, limits, startedAt, startTick, reservation, begunAt } = kept;
    const ours = this.#installation;
    const { installation = ours.id, place = ours.place } = kept;
    if (installation !== ours.id) return null;
    this.#transfers.listen(settings.port, settings.tls).catch((error: unknown) => {
      console.error(`pods cannot reach this machine: ${messageOf(error)}`);
    });
    const claims = new Claims(folder, executionId, kept, this.#transfers);
    const options = { ...optionsOf(kept, folder), isOfOtherPlace: place !== ours.place };
    const run = new KubernetesRun(this.#around(settings, null), claims, options);
    // Only the earlier runner had what its pod waits for.
    if (reservation !== undefined && begunAt === undefined) run.kill();
    return { run, limits, start: { at: startedAt, tick: startTick } };
  }

  /** Reason why the cluster is not reached; null while it is, and while nothing has asked it. */
  get away(): string | null {
    for (const { pods } of this.#connected.values()) if (pods.away !== null) return pods.away;
    return null;
  }

  /** Words about jobs of another place; null when there are none. */
  get leftAlone(): string | null {
    return this.#others.words;
  }

  close(): void {
    this.#transfers.close();
    for (const { api, pods } of this.#connected.values()) {
      pods.close();
      api.close();
    }
  }

  #connect(settings: KubernetesSettings): Connected {
    const key = JSON.stringify(settings);
    const known = this.#connected.get(key);
    if (known !== undefined) return known;
    const api = new ClusterApi(settings);
    const pods = new Pods(api, this.#installation.id, (line) => console.error(`kubernetes: ${line}`));
    this.#connected.set(key, { api, pods });
    return { api, pods };
  }

  async #ours({ url }: KubernetesSettings, port: number): Promise<Destination> {
    const { hostname, port: named } = new URL(url);
    const host = hostname.replace(/^\[|\]$/g, '');
    const addresses = isIP(host) !== 0 ? [host] : (await lookup(host, { all: true })).map(({ address }) => address);
    return { host, addresses, port: named === '' || named === '0' ? port : Number(named) };
  }

  /** The addresses of a host that a version declares. Forbidden ones are left out, and a name without any has none. */
  async #destination(declared: string): Promise<Destination> {
    const rules = createAddressRules(this.#networks());
    return destinationOf(declared, (address) => rules.allows(address));
  }

  #sweep(): void {
    this.#removeRests().catch((error: unknown) => {
      console.error(`jobs of the cluster could not be looked through yet: ${messageOf(error)}`);
      this.#sweepAgain();
    });
  }

  #sweepAgain(afterMs = SWEEP_AGAIN_MS): void {
    if (this.#sweepsAgain) return;
    this.#sweepsAgain = true;
    setTimeout(() => {
      this.#sweepsAgain = false;
      this.#sweep();
    }, afterMs).unref();
  }

  /** Removes the jobs of this place that belong to no running execution. */
  async #removeRests(): Promise<void> {
    const settings = this.#settings;
    if (settings === null) return;
    const builds = settings.registry?.buildNamespace;
    const others: string[] = [];
    for (const one of [settings, ...(builds === undefined ? [] : [{ ...settings, namespace: builds }])])
      others.push(...(await removeRests(this.#connect(one).api, this.#installation, () => this.#inUse())));
    this.#others.note(others);
    if (others.length > 0) this.#sweepAgain(LOOK_AGAIN_MS);
  }

  #inUse(): ReadonlySet<string> {
    mkdirSync(this.#paths.executions, { recursive: true, mode: 0o711 });
    const folders = readdirSync(this.#paths.executions).map((name) => join(this.#paths.executions, name));
    const kept = folders.filter((folder) => !existsSync(join(folder, END))).map(readJob);
    return new Set([
      ...kept.flatMap((one) => (one === null ? [] : [one.job])),
      ...this.#warm.list().map(({ job }) => job),
    ]);
  }
}

function optionsOf(kept: KeptJob, folder: string): JobRunOptions {
  const { job, pools, limits, marksEnd = false, leavesFile = false } = kept;
  const output = join(folder, 'output');
  return { job, attempt: attemptOf(kept), folder, output, pools, limits, marksEnd, leavesFile };
}

/** Equal for executions that one pod can serve. Folders of code never change. */
function keyOf(settings: KubernetesSettings, job: JobHeader, code: Code, python: string): string {
  const { environment, hosts = [], limits, gpus = null } = job;
  const byName = (of: object): unknown[] => Object.entries(of).sort(([one], [other]) => (one < other ? -1 : 1));
  const { sourceDir, layerDir } = code;
  return JSON.stringify([settings, sourceDir, layerDir, python, byName(environment), hosts, byName(limits), gpus]);
}

/** The addresses of `host:port` that are allowed. A name without any has none. */
async function destinationOf(declared: string, isAllowed: (address: string) => boolean): Promise<Destination> {
  const { hostname, port } = new URL(`http://${declared}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const found = await lookup(host, { all: true }).catch(() => []);
  const addresses = found.map(({ address }) => address).filter(isAllowed);
  return { host, addresses, port: port === '' ? 80 : Number(port) };
}
