import type { KubernetesSettings } from './kubernetes/settings.ts';
import type { TransferTls } from './transfers/tls.ts';

export type { KubernetesSettings, TransferTls };

/**
 * Limits of one execution, in bytes, milliseconds and counts. The cause of an execution names the limit that ended it.
 */
export interface Limits {
  memoryBytes: number;
  /** CPU cores, fractions allowed. */
  cpus: number;
  /** Processes and threads together. */
  processes: number;
  runTimeMs: number;
  /** Size of `/tmp`, which is memory and counts as such. */
  tmpBytes: number;
  /** Largest single file that user code may write. */
  fileBytes: number;
  /** All result files together. */
  outputBytes: number;
  outputFiles: number;
  resultBytes: number;
  /** Size of the log. What comes after is dropped, and the log says so. It never fails an execution. */
  logBytes: number;
}

/**
 * The code of one service version, unpacked. Both folders are below `<dataDir>/runtime` and never change after their
 * first use.
 */
export interface Code {
  /** Unpacked project: holds `src/program.py`. */
  sourceDir: string;
  /** Installed requirements, or null when the project has none. */
  layerDir: string | null;
  /** Foreign modules that a warm worker imports before its job comes. */
  imports: readonly string[];
  /** The Python that it was built for, for example `3.12`. Default: the Python of the sandboxes' root. */
  python?: string;
}

/**
 * The code of one service version as an image of the container engine or of a registry (`name@sha256:…`). A name at the
 * engine is never used for anything else.
 */
export interface ContainerImage {
  image: string;
  /** Command of an image of a registry: its ENTRYPOINT and CMD. An engine knows it itself. */
  command?: readonly string[];
  /** Folders that an image of a registry declared as VOLUME and left empty. A program gets memory there. */
  volumes?: readonly string[];
  /** Set when the image is not run, but built in a cluster. */
  build?: ImageSource;
}

/** The source of an image, and the limits of its build that {@link Limits} does not have. */
export interface ImageSource {
  /** Folder of the unpacked project. */
  folder: string;
  /** Name of its build file in that folder. */
  dockerfile: string;
  /** Bytes of the layers of the image. */
  imageBytes: number;
  /** Bytes of the disk of a node during the build. */
  diskBytes: number;
}

/**
 * A data pool for an execution, at `/var/runtime/datapool/<parameter>`. A writable one is a copy for this execution
 * alone, in a folder below `<dataDir>/runtime`. The files that the program leaves in it count as output.
 */
export interface DataPoolMount {
  parameter: string;
  path: string;
  writable: boolean;
}

/** A writable data pool after a successful program: all files that are in it now, changed or not. */
export interface WrittenPool {
  parameter: string;
  files: OutputFile[];
}

/** Pods that wait for executions of a version, as its owner wishes. */
export interface WarmPodsWish {
  readonly owner: string;
  readonly version: string;
  /** Pods that wait at the same time. */
  readonly most: number;
}

/** One run of user code. `secrets` exist in memory only, from here to the program. */
export interface ExecutionJob {
  executionId: string;
  code: Code | ContainerImage;
  /** The raw JSON text of the input object. */
  input: string;
  secrets: Record<string, string>;
  environment: Record<string, string>;
  /**
   * Further variables of this execution, protected like secrets. They come with the job, so they are in no waiting
   * sandbox, on no command line and in no file.
   */
  secretEnvironment?: Record<string, string>;
  dataPools: DataPoolMount[];
  /** Id of its service, for which an operator may have named options of a cluster. */
  service?: string;
  /** GPUs that it was given. A cluster is asked for them; the sandbox of this machine shows none. */
  gpus?: { readonly count: number; readonly type: string | null };
  /** Hosts that it may call over the network, as `host:port`. Default none. */
  hosts?: readonly string[];
  /** True if a warm worker may serve it. Default true. */
  warm?: boolean;
  /** Pods of a cluster that wait for further executions of its version. Default none. */
  warmPods?: WarmPodsWish;
  limits: Limits;
  /** Lines of the platform from before the start, with which its log begins. Default none. */
  notices?: readonly LogLine[];
  /** A note of the platform. It is kept with the execution and returned with its end, unread, through every restart. */
  note?: string;
}

/**
 * LOST: the runner died, and nobody knows whether the code finished. NOT_STARTED: the job never reached user code, so
 * it may be started again (after {@link Runtime.forget}).
 */
export type Outcome = 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'LOST' | 'NOT_STARTED';

/**
 * The reason why an execution did not succeed, for its caller. Exceptions of user code may add members of their own.
 */
export interface Cause {
  type: string;
  title: string;
  detail: string;
  [member: string]: unknown;
}

/**
 * The JSON value that the program returned, or left in `output.json`. `path` holds exactly its JSON text, checked to be
 * valid.
 */
export interface ResultFile {
  /** The JSON text itself when it is short. There is no file then. */
  text?: string;
  path: string;
  /** Length of the JSON text. */
  bytes: number;
  /** True if the value is a JSON object. Any other value is served under the key `result`. */
  isObject: boolean;
  /** True if the object has `_links` or `_embedded` of its own, which the HAL members must replace. */
  reservedMembers: boolean;
  /**
   * The byte ranges of the text that are the result, without surrounding white space and without those members. When
   * left out, all of it, unless `reservedMembers` is set (a runner of an older version).
   */
  parts?: readonly (readonly [from: number, to: number])[];
}

/** A regular file that the program left in `/var/runtime/output`. */
export interface OutputFile {
  name: string;
  bytes: number;
  path: string;
  /** Set when it is the result as well. It is not counted then. */
  isResult?: true;
}

/**
 * The end of an execution. It is on the disk before it is reported, and in {@link Runtime.list} until it is forgotten.
 */
export interface ExecutionEnd {
  executionId: string;
  outcome: Outcome;
  /** Null exactly when the outcome is SUCCEEDED. */
  cause: Cause | null;
  /** Epoch milliseconds. */
  startedAt: number;
  endedAt: number;
  /** Null unless SUCCEEDED; also null when a container left none. */
  result: ResultFile | null;
  files: OutputFile[];
  /** One entry per writable data pool. Present only when the outcome is SUCCEEDED. */
  dataPools?: WrittenPool[];
  /** Peak memory use, where the machine measures it. */
  peakMemoryBytes: number | null;
  /** Processor time in milliseconds, where the machine measures it. */
  cpuMs: number | null;
  logBytes: number;
  /** The source of both measurements; null where there is none. */
  measuredBy?: 'CGROUPS_V2' | 'CGROUPS_V1' | 'ENGINE' | 'PROCESSES' | null;
  /** The note of the job. */
  note?: string;
  /** Hash of the code of the runner that ran it. */
  runnerVersion?: string;
}

/** The state of one execution as the runner knows it. */
export type KnownExecution =
  | { executionId: string; state: 'RUNNING'; startedAt: number }
  | { executionId: string; state: 'ENDED'; end: ExecutionEnd };

export type Severity = 'DEBUG' | 'INFO' | 'NOTICE' | 'WARNING' | 'ERROR';

/** One line of a log. */
export interface LogLine {
  /** ISO 8601, UTC, milliseconds. */
  timestamp: string;
  severity: Severity;
  message: string;
}

/** A folder or file of this machine in a sandboxed command. A writable one belongs to the command while it runs. */
export interface Bind {
  from: string;
  /** Absolute path inside the sandbox, for example `/deps`. */
  to: string;
  writable: boolean;
}

/** A command for {@link Runtime.sandboxed}: the same sandbox as an execution, with other folders. */
export interface SandboxedCommand {
  /**
   * Absolute path of the program and its arguments. `/usr/bin/python3` and `/runner/*` (packages/runtime/python) exist
   * inside.
   */
  command: readonly string[];
  binds: readonly Bind[];
  environment: Record<string, string>;
  /** The version of `/usr/bin/python3`, for example `3.12`. Default: the Python of the sandboxes' root. */
  python?: string;
  /** Default `/tmp`. */
  workingDirectory?: string;
  /** HOST shares the network of this machine: only for our own tools (pip), never for user code. */
  network: 'NONE' | 'HOST';
  /** Bytes for stdin. Default: empty. */
  input?: string;
  limits: Pick<Limits, 'memoryBytes' | 'cpus' | 'processes' | 'runTimeMs' | 'tmpBytes' | 'fileBytes' | 'logBytes'>;
  /** Called for every line as it comes. stdout is INFO and stderr WARNING, unless the line names its severity. */
  onLine?: (line: LogLine) => void;
  /** Aborting ends the command at once. */
  signal?: AbortSignal;
}

/** The end of a sandboxed command. */
export interface SandboxedOutcome {
  /** Null when a signal or a limit ended it. */
  exitCode: number | null;
  /** Null when it ended by itself, otherwise the limit or signal. */
  cause: Cause | null;
  /** Its standard output, at most the first 4 MiB. */
  stdout: string;
}

/** The state of the runner, for the status page and for tests. */
export interface RunnerStatus {
  runnerPid: number;
  /** Hash of the runner's own code and protocol. */
  version: string;
  running: { executionId: string; pid: number }[];
  warm: { sourceDir: string; pid: number; bytes: number }[];
  /** Pods of a cluster that wait for an execution, or are on their way. A runner of an older version does not name them. */
  warmPods?: WarmPod[];
  /** Id of the root that we built, or null while sandboxes see a part of this machine's `/usr`. */
  root: string | null;
  /** Running sandboxes of builds. */
  commands: number;
  /** True if cgroups (as root) or only rlimits limit memory, processor time and processes. */
  limitedBy: 'CGROUPS_V2' | 'CGROUPS_V1' | 'RLIMITS';
  /** Reason why the cluster that runs the executions is not reached; null while it is, and where there is none. */
  clusterAway?: string | null;
  /** Words about what a copy of this data folder has made; null when there is nothing. An older runner does not say. */
  leftAlone?: string | null;
}

/** A pod that waits for an execution. */
export interface WarmPod {
  readonly owner: string;
  readonly version: string;
  readonly job: string;
  /** True when it can take an execution. */
  readonly isReady: boolean;
}

/** Receives ends from {@link Runtime.onEnded}. "Go to implementation" leads on to the platform, which a package cannot name. */
export interface EndReceiver {
  collect(end: ExecutionEnd): void;
}

/** Runs user code by the drivers of this machine's runner: the sandbox and containers. */
export interface Runtime {
  /**
   * Starts an execution once. For a known id it returns ALREADY_KNOWN and runs nothing. Resolves when the job is handed
   * over.
   * @throws RuntimeUnavailable when the runner is not reached or the connection is lost. Ask {@link list} before trying
   * again.
   * @throws StartRefused when the sandbox could not be made. The code has certainly not run, and the id is free again.
   */
  start(job: ExecutionJob): Promise<'STARTED' | 'ALREADY_KNOWN'>;
  /**
   * Sends SIGTERM, and kills every process after a grace period. The end is CANCELLED. Does nothing for unknown or
   * ended ids.
   */
  cancel(executionId: string): Promise<void>;
  /**
   * Frees the slot of an execution in any case. It kills every process, and the end is reported soon: as LOST when
   * nothing better is known, and even when it cannot be recorded. Does nothing for unknown or ended ids.
   */
  end(executionId: string): Promise<void>;
  list(): Promise<KnownExecution[]>;
  /** Removes everything that is kept of an ended execution. Does nothing for unknown ids. */
  forget(executionId: string): Promise<void>;
  /** Reads whole NDJSON lines ({@link LogLine}) from a byte position on, at most 1 MiB at a time. */
  readLog(executionId: string, fromByte: number): Promise<{ bytes: Buffer; nextByte: number }>;
  /**
   * Reports each end at least once; after a reconnection, also those that came meanwhile. Returns a function to
   * unsubscribe.
   */
  onEnded(listener: EndReceiver['collect']): () => void;
  /** Reports the length of a log, at most 20 times a second per execution. Returns a function to unsubscribe. */
  onLog(listener: (executionId: string, bytes: number) => void): () => void;
  sandboxed(request: SandboxedCommand): Promise<SandboxedOutcome>;
  /** Asks for warm workers for this code. */
  prewarm(code: Code, environment: Record<string, string>, limits: Limits): Promise<void>;
  /** Ends the pods that wait for executions of these versions. */
  endWarmPods(versions: readonly string[]): Promise<void>;
  /** Makes new sandboxes from a root that was just built. Whatever waits for an execution ends. */
  renewRoot(): Promise<void>;
  status(): Promise<RunnerStatus>;
  /** Stops cleanly: warm workers end; running executions go on, and the next platform process collects them. */
  close(): Promise<void>;
}

/** An engine on this machine that speaks the API of Docker. It sees the data folder at the same path. */
export interface ContainerEngine {
  socketPath: string;
  /** The engine's network for executions; `none` for none. */
  network: string;
}

export interface RuntimeOptions {
  dataDir: string;
  /** The engine that runs containers; null for none. */
  containers?: ContainerEngine | null;
  /** The cluster in which Python services run, in the place of this machine; null for none. */
  kubernetes?: KubernetesSettings | null;
  /** Memory of all idle workers in bytes, default 512 MiB. 0 turns the pool off. */
  warmBytes?: number;
  /** Idle workers per code, default 1. */
  warmPerCode?: number;
  /** An idle worker ends after this time, default 300,000 ms. */
  warmIdleMs?: number;
  /** Pods of a cluster that may wait for executions, of all versions together, default 0. */
  warmPods?: number;
  /** Pods of a version end when it had no execution for this time, default 900,000 ms. */
  warmPodIdleMs?: number;
  /** Time from SIGTERM to the kill of all processes at a cancellation, default 3,000 ms. */
  cancelGraceMs?: number;
  /** Private networks (`10.1.0.0/16`) that services may reach when they declare hosts there. Default none. */
  serviceNetworks?: readonly string[];
  /**
   * Bytes that stay free on the disk of the data folder. Below them no execution starts, and the one that uses the most
   * is ended. Default 1 GiB, or 2 % of a smaller disk.
   */
  freeBytes?: number;
  /** A runner without platform and without running executions exits after this time, default 10,000 ms. */
  idleExitMs?: number;
  /** Called when the connection to the runner is lost, and when a runner is reached again. */
  onConnection?: (state: 'CONNECTED' | 'LOST', detail: string) => void;
}

export type SandboxCheck = { usable: true; how: string } | { usable: false; reason: string; remedy: string };

/** The connection to the runner is down, or was lost during a request. Trying again later can help. */
export class RuntimeUnavailable extends Error {
  override readonly name = 'RuntimeUnavailable';
  readonly retryable = true;
}

/**
 * The runner could not make the sandbox. The code has not run and the id is free again; trying again later can help.
 */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
  readonly retryable = true;
  /** The reason in words that its owner may read; null where it is of the operator alone. */
  readonly words: string | null;

  constructor(message: string, words: string | null = null) {
    super(message);
    this.words = words;
  }
}
