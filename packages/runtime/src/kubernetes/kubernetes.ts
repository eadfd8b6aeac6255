import { randomBytes } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { installationOf } from '../containers/installation.ts';
import { createAddressRules } from '../egress/address-rules.ts';
import { messageOf } from '../errors.ts';
import type { RunnerPaths } from '../paths.ts';
import type { JobHeader } from '../protocol/messages.ts';
import { END } from '../runner/records.ts';
import type { Code, Limits } from '../types.ts';
import { PYTHON_SIDE } from '../version.ts';
import { ClusterApi, ClusterAway, ClusterRefusal } from './api.ts';
import { Claims, inputOf, keepJob, readJob, type KeptJob } from './claims.ts';
import { KubernetesRun, makeFolders } from './kubernetes-run.ts';
import { ATTEMPT, jobName, jobOf, LABELS, policyOf, secretOf, type Destination, type Order } from './objects.ts';
import { Pods } from './pods.ts';
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

/** Runs executions as jobs of a cluster: the driver for Python services on Kubernetes. */
export class Kubernetes {
  readonly #paths: RunnerPaths;
  readonly #installation: string;
  readonly #transfers = new Transfers();
  readonly #networks: () => readonly string[];
  readonly #graceMs: () => number;
  #settings: KubernetesSettings | null = null;
  #connected: (Connected & { readonly key: string }) | null = null;
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

  /** @throws when the folders cannot be made. */
  prepare(job: JobHeader, code: Code, input: Buffer, folder: string, python: string): KubernetesRun {
    const settings = this.#settings;
    if (settings === null) throw new Error('This worker has no cluster.');
    const { executionId, limits, secrets, secretEnvironment = {}, dataPools, hosts = [] } = job;
    const token = randomBytes(32).toString('hex');
    const name = jobName(this.#installation, executionId);
    const header = { secrets, environment: secretEnvironment, dataPools: dataPools.map(({ parameter }) => parameter) };
    if (Buffer.byteLength(JSON.stringify(header)) > SECRET_BYTES)
      throw new Error(`The secrets of an execution may have ${SECRET_BYTES} bytes together in a cluster.`);
    for (const path of [code.sourceDir, ...(code.layerDir === null ? [] : [code.layerDir])])
      if (!existsSync(path)) throw new Error(`There is no folder ${path}.`);
    // A pod brings its copies of writable pools as a whole, so they have folders of their own here.
    const poolFolders = Object.fromEntries(
      dataPools.flatMap(({ writable }, index) =>
        writable ? [[String(index), join(folder, 'pools', String(index))]] : [],
      ),
    );
    const pools = dataPools.flatMap((pool, index) =>
      pool.writable ? [{ ...pool, path: poolFolders[index] ?? '' }] : [],
    );
    const parts = {
      app: { from: code.sourceDir, to: 'exchange/app' },
      runner: { from: PYTHON_SIDE, to: 'exchange/runner' },
      ...(code.layerDir !== null && { deps: { from: code.layerDir, to: 'exchange/deps' } }),
      ...Object.fromEntries(dataPools.map(({ path }, index) => [`pool${index}`, { from: path, to: `pools/${index}` }])),
    };
    makeFolders(folder, pools);
    writeFileSync(inputOf(folder), input, { mode: 0o600 });
    const kept: KeptJob = {
      settings,
      job: name,
      limits,
      startedAt: Date.now(),
      tokenHash: hashOf(token),
      parts,
      pools,
      poolFolders,
      asks: true,
    };
    keepJob(folder, kept);
    const { api, pods } = this.#connect(settings);
    const make = async (): Promise<void> => {
      const port = await this.#transfers.listen(settings.port, settings.tls);
      const order: Order = {
        settings,
        job: name,
        installation: this.#installation,
        attempt: hashOf(token).slice(0, 16),
        executionId,
        python,
        hasLayer: code.layerDir !== null,
        environment: job.environment,
        dataPools,
        limits,
        gpus: job.gpus?.count ?? 0,
        certificates: certificatesOf(settings.tls),
        ours: await this.#ours(settings, port),
        hosts: await Promise.all(hosts.map((host) => this.#destination(host))),
      };
      await createJob(api, order, token, header);
    };
    return new KubernetesRun(
      { api, pods, make, graceMs: this.#graceMs, stayed: () => this.#sweepAgain() },
      new Claims(folder, executionId, kept, this.#transfers),
      { job: name, folder, output: join(folder, 'output'), pools, limits },
    );
  }

  /** The run that an earlier runner has begun in this execution folder. Null when that was no job of a cluster. */
  reattach(executionId: string, folder: string): LeftRun | null {
    const kept = readJob(folder);
    if (kept === null) return null;
    const { settings, job, limits, startedAt, pools } = kept;
    this.#transfers.listen(settings.port, settings.tls).catch((error: unknown) => {
      console.error(`pods cannot reach this machine: ${messageOf(error)}`);
    });
    const { api, pods } = this.#connect(settings);
    const claims = new Claims(folder, executionId, kept, this.#transfers);
    const options = { job, folder, output: join(folder, 'output'), pools, limits };
    const run = new KubernetesRun(
      { api, pods, make: null, graceMs: this.#graceMs, stayed: () => this.#sweepAgain() },
      claims,
      options,
    );
    return { run, limits, startedAt };
  }

  /** Reason why the cluster is not reached; null while it is, and while nothing has asked it. */
  get away(): string | null {
    return this.#connected?.pods.away ?? null;
  }

  close(): void {
    this.#transfers.close();
    this.#connected?.pods.close();
    this.#connected?.api.close();
  }

  #connect(settings: KubernetesSettings): Connected {
    const key = JSON.stringify(settings);
    if (this.#connected?.key !== key) {
      const api = new ClusterApi(settings);
      const pods = new Pods(api, this.#installation, (line) => console.error(`kubernetes: ${line}`));
      this.#connected = { key, api, pods };
    }
    return this.#connected;
  }

  async #ours({ url }: KubernetesSettings, port: number): Promise<Destination> {
    const { hostname, port: named } = new URL(url);
    const host = hostname.replace(/^\[|\]$/g, '');
    const addresses = isIP(host) !== 0 ? [host] : (await lookup(host, { all: true })).map(({ address }) => address);
    return { host, addresses, port: named === '' || named === '0' ? port : Number(named) };
  }

  /** The addresses of a host that a version declares. Forbidden ones are left out, and a name without any has none. */
  async #destination(declared: string): Promise<Destination> {
    const { hostname, port } = new URL(`http://${declared}`);
    const host = hostname.replace(/^\[|\]$/g, '');
    const rules = createAddressRules(this.#networks());
    const found = await lookup(host, { all: true }).catch(() => []);
    const addresses = found.map(({ address }) => address).filter((address) => rules.allows(address));
    return { host, addresses, port: port === '' ? 80 : Number(port) };
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
    if (this.#settings === null) return;
    const { api } = this.#connect(this.#settings);
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

/**
 * Makes a job with its secret and its network policy, and then lets it begin. It can be repeated: an attempt whose answer
 * was lost is continued.
 */
async function createJob(api: ClusterApi, order: Order, token: string, header: object): Promise<void> {
  const job = await madeJob(api, order);
  await Promise.all([
    unlessThere(api.ask('POST', 'secrets', { body: secretOf(order, job, token, header) })),
    unlessThere(api.ask('POST', 'networkpolicies', { body: policyOf(order, job) })),
  ]);
  await api.ask('PATCH', `jobs/${order.job}`, { body: { spec: { suspend: false } } });
}

async function madeJob(api: ClusterApi, order: Order): Promise<Job> {
  const made = await unlessThere(api.ask<Job>('POST', 'jobs', { body: jobOf(order) }));
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
