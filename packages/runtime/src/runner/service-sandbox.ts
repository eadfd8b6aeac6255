import { chownSync, closeSync, mkdirSync, openSync, renameSync } from 'node:fs';
import { baseEnvironment, FD, type Mount } from '../sandbox/bwrap.ts';
import type { FolderProxy } from '../egress/proxies.ts';
import { PROXY_ENVIRONMENT } from '../egress/proxy-environment.ts';
import { prepare } from '../sandbox/launch.ts';
import type { PreparedSandbox, Sandbox } from '../sandbox/sandbox.ts';
import type { Code, DataPoolMount, Limits } from '../types.ts';
import { discard } from './discard.ts';
import { giveTo } from './give-to.ts';
import type { RunnerContext } from './context.ts';
import { OutputLines } from './log-file.ts';

/** The values that a sandbox of a service is made for. A warm one serves any execution with the same values. */
export interface ServiceSpec {
  code: Code;
  environment: Readonly<Record<string, string>>;
  /** Hosts that it may call, as `host:port`. */
  hosts: readonly string[];
  limits: Limits;
}

export interface Handover {
  secrets: Readonly<Record<string, string>>;
  /** Set when the job is read, before the service's own code is imported. */
  environment: Readonly<Record<string, string>>;
  dataPools: readonly string[];
  input: Buffer;
}

/**
 * Milliseconds that a job waits for the proxy to its hosts. Beyond them it begins anyway, with a warning in its log.
 */
const LISTENS_MS = 20_000;

/**
 * All limits are known at the start, except for a sandbox without a service, which exists only where cgroups set them
 * later.
 */
type StartLimits = Limits | Pick<Limits, 'fileBytes'>;

let prepared = 0;

/** A sandbox that runs one execution of a service, or waits for it. */
export class ServiceSandbox {
  readonly sandbox: Sandbox;
  readonly lines: OutputLines;
  readonly uid: number | null;
  /** Set as soon as the execution is known. */
  executionId: string | null = null;
  readonly #context: RunnerContext;
  readonly #prepared: PreparedSandbox;
  #folder: string;
  #warm = false;
  #proxy: FolderProxy | null = null;

  /**
   * Starts the part that is the same for all services.
   * @param folder the folder for `output` and for its report, `written`.
   * @param limits the limits that hold from the first process on; without cgroups all of them.
   * @param imports modules that a warm sandbox imports before its job comes; null for a cold one.
   * @throws when the process cannot be started.
   */
  constructor(context: RunnerContext, folder: string, limits: StartLimits, imports: readonly string[] | null) {
    this.#context = context;
    this.#folder = folder;
    const uid = context.identities.take();
    this.uid = uid;
    try {
      this.#prepared = start(context, folder, uid, limits, imports);
    } catch (error) {
      context.identities.release(uid);
      throw error;
    }
    this.sandbox = this.#prepared;
    this.lines = new OutputLines(this.sandbox.stdout, this.sandbox.stderr);
    void this.sandbox.ended.then(() => {
      context.identities.release(uid);
    });
  }

  /** The folder of its result files. */
  get output(): string {
    return `${this.#folder}/output`;
  }

  /** Turns its work folder into the folder of an execution, which must not exist. Allowed only before it has begun. */
  settleIn(folder: string): void {
    renameSync(this.#folder, folder);
    this.#folder = folder;
  }

  /**
   * Makes the sandbox of this service. A warm one never sees data pools.
   * @throws when a folder does not exist.
   */
  begin(
    { code, environment, hosts, limits }: ServiceSpec,
    options: { warm: boolean; dataPools: readonly DataPoolMount[] },
  ): void {
    this.#warm = options.warm;
    const { reachable } = this.#context;
    const proxy = hosts.length === 0 ? null : this.#openProxy(hosts);
    this.#proxy = proxy;
    const mounts: Mount[] = [
      ...this.#context.pythonMounts(code.python).mounts,
      { from: reachable(code.sourceDir), to: '/app', writable: false, overlay: 'KEPT' },
      ...(code.layerDir === null
        ? []
        : [{ from: reachable(code.layerDir), to: '/deps', writable: false, overlay: 'KEPT' as const }]),
      { from: reachable(this.output), to: '/var/runtime/output', writable: true },
      ...(proxy === null ? [] : [{ from: reachable(proxy.dir), to: '/run/kethub', writable: false }]),
      ...options.dataPools.map(({ parameter, path, writable }) => {
        if (!/^[^/\0]+$/.test(parameter) || parameter.startsWith('.'))
          throw new Error(`"${parameter}" cannot be a folder.`);
        const mount = { from: reachable(path), to: `/var/runtime/datapool/${parameter}`, writable };
        if (!writable) return { ...mount, overlay: 'ONCE' as const };
        if (this.uid !== null) giveTo(this.uid, path);
        return mount;
      }),
    ];
    const layout = {
      mounts,
      tmpBytes: limits.tmpBytes,
      workingDirectory: '/var/runtime/output',
      environment: { ...baseEnvironment(limits.cpus), ...(proxy !== null && PROXY_ENVIRONMENT), ...environment },
      network: 'NONE' as const,
    };
    this.#prepared.begin(layout, limits);
  }

  /** Opens a proxy to these hosts and no other. Refusals are logged in the execution's log and in the runner's. */
  #openProxy(hosts: readonly string[]): FolderProxy {
    const proxy = this.#context.proxies.open(hosts);
    proxy.onRefused = (target, why) => {
      const message = `A connection to ${target} was refused: ${why}.`;
      console.error(`${this.executionId ?? 'a warm sandbox'}: ${message}`);
      this.lines.note({ timestamp: new Date().toISOString(), severity: 'WARNING', message });
    };
    void this.sandbox.ended.then(() => {
      proxy.close();
    });
    return proxy;
  }

  /** Gives it the job as soon as its hosts can be reached. */
  handOver(job: Handover): void {
    const { secrets, environment, dataPools } = job;
    const header = Buffer.from(JSON.stringify({ secrets, environment, dataPools }));
    // One write for small jobs, so that Python reads them with one system call.
    const frames = Buffer.concat([frameLength(header), header, frameLength(job.input), job.input]);
    if (this.#proxy === null) this.sandbox.send(frames);
    else void this.#listening(this.#proxy).then(() => this.sandbox.send(frames));
  }

  async #listening({ listens }: FolderProxy): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        const message = 'The proxy to the hosts of this version does not listen yet. Connections may fail at first.';
        this.lines.note({ timestamp: new Date().toISOString(), severity: 'WARNING', message });
        resolve();
      }, LISTENS_MS);
    });
    await Promise.race([listens, late]);
    clearTimeout(timer);
  }

  /**
   * False when a warm worker has certainly ended before it had read its job, so that no code of the service ran. Asked
   * after its end.
   */
  tookJob(): boolean {
    return !this.#warm || !this.sandbox.inputRefused;
  }

  /**
   * Moves its output to the folder of an execution. Call it only after its end: before, bubblewrap may not yet have
   * mounted it.
   */
  moveTo(folder: string): void {
    if (folder === this.#folder) return;
    for (const part of ['output', 'written']) renameSync(`${this.#folder}/${part}`, `${folder}/${part}`);
    this.#context.workFolders.remove(this.#folder);
  }

  /** Ends it and drops its output. */
  end(): void {
    this.lines.deliverTo(() => undefined);
    this.lines.drop();
    this.sandbox.kill();
    // an execution's folder is deleted with its record
    if (!this.#folder.startsWith(`${this.#context.paths.workFolders}/`)) return;
    void this.sandbox.ended.then(() => {
      discard(this.#folder);
    });
  }
}

function start(
  context: RunnerContext,
  folder: string,
  uid: number | null,
  limits: StartLimits,
  imports: readonly string[] | null,
): PreparedSandbox {
  const output = `${folder}/output`;
  mkdirSync(output, { mode: 0o700 });
  if (uid !== null) chownSync(output, uid, uid);
  const written = openSync(`${folder}/written`, 'a', 0o600);
  const reportsUsage = context.cgroups === null;
  const before = [
    ...(reportsUsage ? ['--usage', String(FD.USAGE)] : []),
    ...(imports === null ? [] : ['--ready', String(FD.READY)]),
    ...(imports !== null && imports.length > 0 ? ['--import', imports.join(',')] : []),
  ];
  try {
    return prepare(context, {
      name: `service-${++prepared}`,
      uid,
      command: ['/usr/bin/python3', '-I', '-S', '-u', '-B', '/runner/execute.py', ...before],
      network: 'NONE',
      fileBytes: limits.fileBytes,
      rlimits: context.cgroups === null && 'memoryBytes' in limits ? limits : null,
      resultFd: written,
      reportsUsage,
      reportsReady: imports !== null,
    });
  } finally {
    closeSync(written);
  }
}

function frameLength(frame: Buffer): Buffer {
  return Buffer.from(`${frame.length}\n`);
}
