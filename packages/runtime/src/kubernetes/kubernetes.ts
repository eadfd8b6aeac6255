import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { installationOf } from '../containers/installation.ts';
import { createAddressRules } from '../egress/address-rules.ts';
import { messageOf } from '../errors.ts';
import type { RunnerPaths } from '../paths.ts';
import type { JobHeader } from '../protocol/messages.ts';
import { END } from '../runner/records.ts';
import type { Limits } from '../types.ts';
import { ClusterApi, ClusterAway, ClusterRefusal } from './api.ts';
import { Claims, keepJob, readJob, type KeptJob } from './claims.ts';
import { KubernetesRun, makeFolders } from './kubernetes-run.ts';
import { ATTEMPT, jobName, jobOf, LABELS, policyOf, secretOf, type Destination, type Order } from './objects.ts';
import { Pods } from './pods.ts';
import { buildProgram, imageProgram, pythonProgram, type ClusterProgram } from './programs.ts';
import type { KubernetesSettings } from './settings.ts';
import { certificatesOf } from '../transfers/tls.ts';
import { hashOf, Transfers } from '../transfers/transfers.ts';

/** Bytes of the secrets of an execution. A secret of a cluster holds 1 MiB. */
const SECRET_BYTES = 900_000;
/** Milliseconds until the next attempt to remove leftovers. */
const SWEEP_AGAIN_MS = 30_000;

interface LeftRun {
  run: KubernetesRun;
  limits: Limits;
  startedAt: number;
}

interface Job {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

interface Connected {
  readonly api: ClusterApi;
  readonly pods: Pods;
}

/** Runs executions as jobs of a cluster: the driver for Kubernetes. */
export class Kubernetes {
  readonly #paths: RunnerPaths;
  readonly #installation: string;
  readonly #transfers = new Transfers();
  readonly #networks: () => readonly string[];
  readonly #graceMs: () => number;
  #settings: KubernetesSettings | null = null;
  /** Connections by their settings: the namespaces of executions and of builds, also of earlier settings. */
  readonly #connected = new Map<string, Connected>();
  #sweepsAgain = false;

  constructor(paths: RunnerPaths, networks: () => readonly string[], graceMs: () => number) {
    this.#graceMs = graceMs;
    this.#paths = paths;
    this.#installation = installationOf(paths.runtimeDir).id;
    this.#networks = networks;
  }

  /** True when Python services run in a cluster. */
  get isUsed(): boolean {
    return this.#settings !== null;
  }

  /** Sets the cluster for the next executions, and removes what earlier runners of this installation left there. */
  async use(settings: KubernetesSettings | null): Promise<void> {
    const isNew = settings !== null && JSON.stringify(settings) !== JSON.stringify(this.#settings);
    this.#settings = settings;
    if (!isNew) return;
    await this.#transfers.listen(settings.port, settings.tls);
    this.#connect(settings);
    this.#sweep();
  }

  /** True when images run in the cluster as well. */
  get takesImages(): boolean {
    return (this.#settings?.registry ?? null) !== null;
  }

  /** @throws when the folders cannot be made, or are not there. */
  prepare(job: JobHeader, input: Buffer, folder: string, usualPython: string): KubernetesRun {
    const settings = this.#settings;
    if (settings === null) throw new Error('This worker has no cluster.');
    const { code } = job;
    const registry = settings.registry ?? null;
    if (!('image' in code)) {
      const python = code.python ?? usualPython;
      return this.#run(settings, job, pythonProgram(job, code, input, folder, python), folder);
    }
    if (registry === null) throw new Error('This worker has no registry for images.');
    if (code.build === undefined)
      return this.#run(settings, job, imageProgram(job, code, input, folder, registry), folder);
    const program = buildProgram(code, code.build, registry);
    return this.#run({ ...settings, namespace: registry.buildNamespace }, job, program, folder);
  }

  #run(settings: KubernetesSettings, job: JobHeader, program: ClusterProgram, folder: string): KubernetesRun {
    const { executionId, limits, dataPools } = job;
    const token = randomBytes(32).toString('hex');
    const name = jobName(this.#installation, executionId);
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
    const { leavesFile } = program;
    const kept: KeptJob = {
      settings,
      job: name,
      limits,
      startedAt: Date.now(),
      tokenHash: hashOf(token),
      parts: { ...program.parts, ...(Object.fromEntries(poolParts) as KeptJob['parts']) },
      pools,
      poolFolders,
      asks: true,
      marksEnd: true,
      leavesFile,
    };
    keepJob(folder, kept);
    const { api, pods } = this.#connect(settings);
    const make = async (): Promise<void> => {
      const port = await this.#transfers.listen(settings.port, settings.tls);
      const order: Order = {
        settings,
        job: name,
        installation: this.#installation,
        attempt: attemptOf(kept),
        executionId,
        environment: job.environment,
        dataPools,
        limits,
        gpus: job.gpus?.count ?? 0,
        certificates: certificatesOf(settings.tls),
        ours: await this.#ours(settings, port),
        hosts: [
          ...(await Promise.all((job.hosts ?? []).map((host) => this.#destination(host)))),
          ...(await Promise.all(program.hosts.map((host) => destinationOf(host, () => true)))),
        ],
      };
      await createJob(api, order, program, token);
    };
    return new KubernetesRun(
      { api, pods, make, graceMs: this.#graceMs, stayed: () => this.#sweepAgain() },
      new Claims(folder, executionId, kept, this.#transfers),
      {
        job: name,
        attempt: attemptOf(kept),
        folder,
        output: join(folder, 'output'),
        pools,
        limits,
        marksEnd: true,
        leavesFile,
        inputRefused: program.inputRefused ?? null,
      },
    );
  }

  /** The run that an earlier runner has begun in this execution folder. Null when that was no job of a cluster. */
  reattach(executionId: string, folder: string): LeftRun | null {
    const kept = readJob(folder);
    if (kept === null) return null;
    const { settings, job, limits, startedAt, pools, marksEnd = false, leavesFile = false } = kept;
    this.#transfers.listen(settings.port, settings.tls).catch((error: unknown) => {
      console.error(`pods cannot reach this machine: ${messageOf(error)}`);
    });
    const { api, pods } = this.#connect(settings);
    const claims = new Claims(folder, executionId, kept, this.#transfers);
    const options = {
      job,
      attempt: attemptOf(kept),
      folder,
      output: join(folder, 'output'),
      pools,
      limits,
      marksEnd,
      leavesFile,
    };
    const run = new KubernetesRun(
      { api, pods, make: null, graceMs: this.#graceMs, stayed: () => this.#sweepAgain() },
      claims,
      options,
    );
    return { run, limits, startedAt };
  }

  /** Reason why the cluster is not reached; null while it is, and while nothing has asked it. */
  get away(): string | null {
    for (const { pods } of this.#connected.values()) if (pods.away !== null) return pods.away;
    return null;
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
    const pods = new Pods(api, this.#installation, (line) => console.error(`kubernetes: ${line}`));
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

  #sweepAgain(): void {
    if (this.#sweepsAgain) return;
    this.#sweepsAgain = true;
    setTimeout(() => {
      this.#sweepsAgain = false;
      this.#sweep();
    }, SWEEP_AGAIN_MS).unref();
  }

  /** Removes the jobs of this installation that belong to no running execution. */
  async #removeRests(): Promise<void> {
    const settings = this.#settings;
    if (settings === null) return;
    const builds = settings.registry?.buildNamespace;
    await this.#removeRestsIn(settings);
    if (builds !== undefined) await this.#removeRestsIn({ ...settings, namespace: builds });
  }

  async #removeRestsIn(settings: KubernetesSettings): Promise<void> {
    const { api } = this.#connect(settings);
    const query = { labelSelector: `${LABELS.installation}=${this.#installation}`, limit: 5_000 };
    const { items } = await api.ask<{ items: readonly Job[] }>('GET', 'jobs', { query });
    // A record is written before its job is created, so every job in use is known here.
    const inUse = this.#inUse();
    for (const { metadata } of items)
      if (!inUse.has(metadata.name)) {
        await api.remove(`secrets/${metadata.name}`);
        await api.remove(`jobs/${metadata.name}`);
      }
  }

  #inUse(): ReadonlySet<string> {
    mkdirSync(this.#paths.executions, { recursive: true, mode: 0o711 });
    const folders = readdirSync(this.#paths.executions).map((name) => join(this.#paths.executions, name));
    const kept = folders.filter((folder) => !existsSync(join(folder, END))).map(readJob);
    return new Set(kept.flatMap((one) => (one === null ? [] : [one.job])));
  }
}

/** Names the attempt of an execution: each one has a token of its own. */
function attemptOf({ tokenHash }: KeptJob): string {
  return tokenHash.slice(0, 16);
}

/** The addresses of `host:port` that are allowed. A name without any has none. */
async function destinationOf(declared: string, isAllowed: (address: string) => boolean): Promise<Destination> {
  const { hostname, port } = new URL(`http://${declared}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const found = await lookup(host, { all: true }).catch(() => []);
  const addresses = found.map(({ address }) => address).filter(isAllowed);
  return { host, addresses, port: port === '' ? 80 : Number(port) };
}

/**
 * Makes a job with its secret and its network policy, and then lets it begin. It can be repeated: an attempt whose answer
 * was lost is continued.
 */
async function createJob(api: ClusterApi, order: Order, program: ClusterProgram, token: string): Promise<void> {
  const job = await madeJob(api, order, program.pod(order));
  await Promise.all([
    unlessThere(api.ask('POST', 'secrets', { body: secretOf(order, job, token, program.handover) })),
    unlessThere(api.ask('POST', 'networkpolicies', { body: policyOf(order, job) })),
  ]);
  await api.ask('PATCH', `jobs/${order.job}`, { body: { spec: { suspend: false } } });
}

async function madeJob(api: ClusterApi, order: Order, pod: object): Promise<Job> {
  const made = await unlessThere(api.ask<Job>('POST', 'jobs', { body: jobOf(order, pod) }));
  const job = made ?? (await api.find<Job>(`jobs/${order.job}`));
  if (
    job !== null &&
    job.metadata.deletionTimestamp === undefined &&
    job.metadata.annotations?.[ATTEMPT] === order.attempt
  )
    return job;
  // An earlier attempt, which was refused, is not yet removed.
  if (job !== null) await api.remove(`jobs/${order.job}`);
  await api.remove(`secrets/${order.job}`);
  await api.remove(`networkpolicies/${order.job}`);
  throw new ClusterAway('An earlier attempt of this execution is still being removed from the cluster.');
}

/** Returns null when the object exists already. */
async function unlessThere<T>(creation: Promise<T>): Promise<T | null> {
  try {
    return await creation;
  } catch (error) {
    if (error instanceof ClusterRefusal && error.reason === 'AlreadyExists') return null;
    throw error;
  }
}
