import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../errors.ts';
import type { EgressProxy, EgressProxies } from '../egress/proxies.ts';
import type { Inside } from '../egress/listen-inside.ts';
import { PROXY_ENVIRONMENT } from '../egress/proxy-environment.ts';
import type { RunnerPaths } from '../paths.ts';
import type { JobHeader } from '../protocol/messages.ts';
import type { LeftRun } from '../runner/driver.ts';
import { giveTo } from '../runner/give-to.ts';
import { momentNow, type Tick } from '../runner/moment.ts';
import { END } from '../runner/records.ts';
import type { ContainerEngine, ContainerImage, DataPoolMount, Limits } from '../types.ts';
import { keepRecord, readRecord } from '../transfers/record.ts';
import { BUSYBOX } from './check.ts';
import { ContainerRun, type Preparation, type RunFolders } from './container-run.ts';
import { Container } from './container.ts';
import { describeContainer, LABELS, USER, type Description, type ImageConfig } from './description.ts';
import { Engine } from './engine.ts';
import { podmanVersion } from './podman.ts';
import { handover, secretVariables } from './handover.ts';
import { writeInputFiles } from './input-files.ts';
import { watchInput, type InputReads } from './input-reads.ts';
import { seccompProfile } from './seccomp-profile.ts';
import { installationOf, type Installation } from './installation.ts';
import { OtherPlaces } from './other-places.ts';
import { CgroupsAround, meterOf } from './usage.ts';

/** The record from which the next runner continues with a container. It holds no secrets. */
interface Kept {
  socketPath: string;
  container: string;
  /** The place from which it was made. A record of an older version names none. */
  place?: string;
  limits: Limits;
  startedAt: number;
  startTick?: Tick;
  /** Path of our cgroup around the container, where there is one. */
  cgroup?: string | null;
  hosts?: readonly string[];
  /** Data pools that it may change. */
  pools?: readonly DataPoolMount[];
  /** True if its program may have begun. */
  started: boolean;
}

/** A container as the engine lists it. */
interface Listed {
  Id: string;
  Names: string[];
  Labels: Readonly<Record<string, string>>;
}

/** Facts about an engine that decide how its containers are described. */
interface EngineFacts {
  seccomp: string;
  isPodman: boolean;
  /** The engine makes cgroups by path. With systemd it would remove those of the platform. */
  makesCgroups: boolean;
}

const RECORD = 'container.json';
/** Milliseconds until the next attempt to remove leftovers. */
const SWEEP_AGAIN_MS = 5_000;
/** Milliseconds after which a busy engine has made the last container that an earlier runner has asked for. */
const LATE_MS = 150_000;
/** Milliseconds until the next look at containers of another place. */
const LOOK_AGAIN_MS = 60_000;

/** Runs executions in containers: the driver for images. */
export class Containers {
  readonly #paths: RunnerPaths;
  readonly #proxies: EgressProxies;
  readonly #installation: Installation;
  readonly #cgroups: CgroupsAround;
  #engine: ContainerEngine | null = null;
  /** Asked before the first container. */
  #facts: Promise<EngineFacts> | null = null;
  #sweepsAgain = false;
  readonly #others = new OtherPlaces('containers');
  /** Cgroups around containers of another place. */
  #alone: readonly string[] = [];

  constructor(paths: RunnerPaths, proxies: EgressProxies) {
    this.#paths = paths;
    this.#proxies = proxies;
    this.#installation = installationOf(paths.runtimeDir);
    this.#cgroups = new CgroupsAround(paths.mark);
  }

  /**
   * Sets the engine for the next containers, and removes the leftovers of earlier runners of this installation there.
   */
  use(engine: ContainerEngine | null): void {
    const isNew = engine !== null && engine.socketPath !== this.#engine?.socketPath;
    this.#engine = engine;
    if (!isNew) return;
    this.#facts = null;
    this.#sweep(engine.socketPath);
    setTimeout(() => this.#sweep(engine.socketPath), LATE_MS).unref();
  }

  /** @throws when there is no engine, or the folders cannot be made. */
  prepare(job: JobHeader, { image }: ContainerImage, input: Buffer, folder: string): ContainerRun {
    if (this.#engine === null) throw new Error('This worker has no container engine.');
    const { socketPath, network } = this.#engine;
    const { executionId, limits, hosts = [], secrets, secretEnvironment = {} } = job;
    const engine = new Engine(socketPath);
    // Each attempt has a name of its own: a refused container may still be in removal when the next one starts.
    const attempt = `${executionId}.${randomBytes(4).toString('hex')}`;
    const name = `${this.#installation.repository}-${attempt}`;
    const folders = makeFolders(folder);
    const pools = job.dataPools.filter(({ writable }) => writable);
    for (const { path } of pools) if (folders.uid !== null) giveTo(folders.uid, path);
    const around = this.#cgroups.pathFor(attempt);
    const keep = (started: boolean): void => {
      const { at: startedAt, tick: startTick } = momentNow();
      const begun = { socketPath, container: name, place: this.#installation.place, limits, startedAt, startTick };
      const kept: Kept = { ...begun, cgroup: around, hosts, pools, started };
      // No container outlives a crash of the machine.
      keepRecord(join(folder, RECORD), kept, false);
    };
    const describe = (config: ImageConfig, { seccomp, isPodman, makesCgroups }: EngineFacts): Description => ({
      image,
      config,
      labels: {
        [LABELS.installation]: this.#installation.id,
        [LABELS.place]: this.#installation.place,
        [LABELS.execution]: executionId,
      },
      environment: { ...(hosts.length > 0 && PROXY_ENVIRONMENT), ...job.environment },
      dataPools: job.dataPools,
      limits,
      folders: { input: join(folder, 'input'), output: folders.output, helper: BUSYBOX },
      // A version that declares hosts reaches these and nothing else, through the proxy.
      network: hosts.length > 0 ? 'none' : network,
      cgroup: makesCgroups ? around : null,
      seccomp,
      isPodman,
    });
    let reads: InputReads | null = null;
    let files = 0;
    const preparation: Preparation = {
      handover: () => handover({ ...secretVariables(secrets), ...secretEnvironment }),
      make: async (container) => {
        const names = writeInputFiles(input, join(folder, 'input'));
        if (names.length > 0) reads = await watchInput(join(folder, 'input'), names);
        files = names.length;
        const { Config } = (await engine.ask('GET', `/images/${image}/json`)) as { Config: ImageConfig };
        await container.create(describeContainer(describe(Config, await this.#factsOf(engine))));
      },
      handingOver: () => {
        keep(true);
      },
      unread: async () => ({ names: (await reads?.unread()) ?? [], of: files }),
      close: () => reads?.stop(),
    };
    keep(false);
    return this.#runOf(
      new Container(engine, name),
      { cgroup: around, hosts },
      { folder, ...folders, pools },
      preparation,
    );
  }

  /**
   * The run that an earlier runner has begun in this execution folder. Null when that was no container, or one of another
   * place: it writes into the folders there.
   */
  reattach(folder: string): LeftRun | null {
    const kept = readKept(folder);
    if (kept === null || (kept.place ?? this.#installation.place) !== this.#installation.place) return null;
    const { socketPath, limits, startedAt, startTick, cgroup = null, hosts = [], pools = [], started } = kept;
    const folders = { folder, output: join(folder, 'output'), uid: ownerOfOutput(), pools };
    const container = new Container(new Engine(socketPath), kept.container);
    const run = this.#runOf(container, { cgroup, hosts }, folders, null, started);
    return { run, limits, start: { at: startedAt, tick: startTick } };
  }

  /** Words about containers of another place; null when there are none. */
  get leftAlone(): string | null {
    return this.#others.words;
  }

  /** Removes our cgroups, except those of containers that go on. */
  async close(): Promise<void> {
    await this.#cgroups.close(new Set([...this.#inUse(), ...this.#alone]));
  }

  #runOf(
    container: Container,
    { cgroup, hosts }: { cgroup: string | null; hosts: readonly string[] },
    folders: RunFolders,
    preparation: Preparation | null,
    started = false,
  ): ContainerRun {
    const openProxy = async (inside: Inside): Promise<EgressProxy> => this.#proxies.openInContainer(hosts, inside);
    const stayed = (): void => {
      this.#sweepAgain();
    };
    const around = { meter: meterOf(container, cgroup), openProxy: hosts.length > 0 ? openProxy : null, stayed };
    return new ContainerRun(container, around, folders, preparation, started);
  }

  async #factsOf(engine: Engine): Promise<EngineFacts> {
    this.#facts ??= this.#askFacts(engine);
    try {
      return await this.#facts;
    } catch (error) {
      this.#facts = null;
      throw error;
    }
  }

  async #askFacts(engine: Engine): Promise<EngineFacts> {
    const { CgroupDriver } = (await engine.ask('GET', '/info')) as { CgroupDriver?: string };
    const isPodman = (await podmanVersion(engine)) !== null;
    return { seccomp: this.#seccompFor(isPodman), isPodman, makesCgroups: CgroupDriver === 'cgroupfs' };
  }

  #seccompFor(isPodman: boolean): string {
    const profile = seccompProfile();
    if (!isPodman) return profile;
    const file = join(this.#paths.runtimeDir, 'seccomp.json');
    writeFileSync(file, profile, { mode: 0o644 });
    return file;
  }

  #sweep(socketPath: string, again = false): void {
    this.#removeRests(new Engine(socketPath)).catch((error: unknown) => {
      if (!again) console.error(`containers of ${socketPath} could not be looked through yet: ${messageOf(error)}`);
      this.#sweepAgain();
    });
  }

  /** Tries again later, until everything is removed. */
  #sweepAgain(afterMs = SWEEP_AGAIN_MS): void {
    if (this.#sweepsAgain) return;
    this.#sweepsAgain = true;
    const sweep = (): void => {
      this.#sweepsAgain = false;
      if (this.#engine !== null) this.#sweep(this.#engine.socketPath, true);
    };
    setTimeout(sweep, afterMs).unref();
  }

  /** Removes the containers of this place that belong to no running execution. */
  async #removeRests(engine: Engine): Promise<void> {
    const { id, place, repository } = this.#installation;
    const label = `${LABELS.installation}=${id}`;
    const query = { all: true, filters: JSON.stringify({ label: [label] }) };
    const found = (await engine.ask('GET', '/containers/json', { query })) as Listed[];
    // A record is written before its container is created, so every container in use is known here.
    const inUse = this.#inUse();
    const rests = found.filter(({ Names }) => !Names.some((name) => inUse.has(name.slice(1))));
    // Containers of earlier versions name no place.
    const others = rests.filter(({ Labels }) => (Labels[LABELS.place] ?? place) !== place);
    for (const { Id } of rests.filter((one) => !others.includes(one))) await new Container(engine, Id).remove();
    const attempts = others.flatMap(({ Names }) => Names.map((name) => name.slice(repository.length + 2)));
    this.#alone = attempts.flatMap((attempt) => this.#cgroups.pathFor(attempt) ?? []);
    await this.#cgroups.sweep(new Set([...inUse, ...this.#alone]));
    this.#others.note(others.map(({ Labels }) => removalOf(Labels[LABELS.place] ?? '')));
    if (others.length > 0) this.#sweepAgain(LOOK_AGAIN_MS);
  }

  /** Names of the containers, and of the cgroups around them, whose executions have no recorded end. */
  #inUse(): ReadonlySet<string> {
    const folders = readdirSync(this.#paths.executions).map((name) => join(this.#paths.executions, name));
    const kept = folders.filter((folder) => !existsSync(join(folder, END))).map(readKept);
    return new Set(kept.flatMap((one) => (one === null ? [] : [one.container, ...(one.cgroup ? [one.cgroup] : [])])));
  }
}

/**
 * Makes folders that only the engine can reach, which mounts them. The user of containers may be a person of this
 * machine, who must not be able to enter them.
 */
function makeFolders(folder: string): { output: string; uid: number | null } {
  chmodSync(folder, 0o700);
  const uid = ownerOfOutput();
  const input = join(folder, 'input');
  const output = join(folder, 'output');
  mkdirSync(input, { mode: 0o755 });
  mkdirSync(output, { mode: 0o700 });
  if (uid !== null) chownSync(output, uid, uid);
  return { output, uid };
}

/** The user that owns the output folder. Null when that is our own user. */
function ownerOfOutput(): number | null {
  return process.getuid?.() === 0 ? USER : null;
}

/** The command that removes the containers of a place. */
function removalOf(place: string): string {
  return `docker rm --force $(docker ps --all --quiet --filter label=${LABELS.place}=${place})`;
}

function readKept(folder: string): Kept | null {
  return readRecord<Kept>(join(folder, RECORD));
}
