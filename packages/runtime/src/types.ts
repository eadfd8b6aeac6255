/** Limits of one execution, in bytes, milliseconds and counts. A limit that ends an execution is named in its cause. */
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
  /** The log beyond this is cut, and the log says so; it never fails an execution. */
  logBytes: number;
}

/** The code of one service version, unpacked. Both folders lie below `<dataDir>/runtime` and are never changed after first use. */
export interface Code {
  /** Unpacked project: holds `src/program.py`. */
  sourceDir: string;
  /** Installed requirements, or null when the project has none. */
  layerDir: string | null;
  /** Third-party modules that a warm worker imports before its job comes. */
  imports: readonly string[];
  /** The Python that it was built for, for example `3.12`. Without it, that of the root of the sandbox. */
  python?: string;
}

/** The code of one service version as an image of the container engine, under a name that nothing else has ever had. */
export interface ContainerImage {
  image: string;
}

/**
 * A data pool given to an execution under `/var/runtime/datapool/<parameter>`. A writable one is a copy that belongs to this
 * execution alone, in a folder below `<dataDir>/runtime`. What the program makes of it counts as output.
 */
export interface DataPoolMount {
  parameter: string;
  path: string;
  writable: boolean;
}

/** A writable data pool as a program that succeeded has left it: all files that are in it now, changed or not. */
export interface WrittenPool {
  parameter: string;
  files: OutputFile[];
}

/** One run of user code. `secrets` are held in memory only, between here and the program. */
export interface ExecutionJob {
  executionId: string;
  code: Code | ContainerImage;
  /** The raw JSON text of the input object. */
  input: string;
  secrets: Record<string, string>;
  environment: Record<string, string>;
  /**
   * More variables of this one execution, held like secrets: they come with the job, never into a sandbox that waits for
   * the next one, and are on no command line and in no file.
   */
  secretEnvironment?: Record<string, string>;
  dataPools: DataPoolMount[];
  /** Hosts that it may call over the network, as `host:port`; none without it. */
  hosts?: readonly string[];
  /** False: never in a process that has waited for it. Default true. */
  warm?: boolean;
  limits: Limits;
  /** A note of the platform. It is kept with the execution and returned with its end, unread, whatever was restarted. */
  note?: string;
}

/**
 * SUCCEEDED, FAILED and CANCELLED are what they say. LOST: the runner died, whether the code finished cannot be known.
 * NOT_STARTED: the job never reached user code, so it may be started again (after {@link Runtime.forget}).
 */
export type Outcome = 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'LOST' | 'NOT_STARTED';

/** Why an execution did not succeed, in words for its caller. Exceptions of user code may add members of their own. */
export interface Cause {
  type: string;
  title: string;
  detail: string;
  [member: string]: unknown;
}

/** The JSON value that the program returned, or left in `output.json`. `path` holds exactly its JSON text, checked to be valid. */
export interface ResultFile {
  /** The JSON text itself when it is short; there is no file then. */
  text?: string;
  path: string;
  /** Length of the JSON text. */
  bytes: number;
  /** Whether the value is a JSON object (otherwise it is served under the key `result`). */
  isObject: boolean;
  /** Whether the object has `_links` or `_embedded` of its own, which the HAL members must replace. */
  reservedMembers: boolean;
  /**
   * The parts of the text that are the result, in byte positions: neither blanks around it nor those members. All of it when left out,
   * unless `reservedMembers` says otherwise (a runner of an older version).
   */
  parts?: readonly (readonly [from: number, to: number])[];
}

/** A regular file that the program left in `/var/runtime/output`. */
export interface OutputFile {
  name: string;
  bytes: number;
  path: string;
  /** It is the file of the result as well, and not counted. */
  isResult?: true;
}

/** The end of an execution. Recorded on disk before it is reported, and listed by {@link Runtime.list} until forgotten. */
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
  /** One for each writable data pool; only when the outcome is SUCCEEDED. */
  dataPools?: WrittenPool[];
  /** Highest memory use, where the machine measures it. */
  peakMemoryBytes: number | null;
  /** Processor time used, in milliseconds, where the machine measures it. */
  cpuMs: number | null;
  logBytes: number;
  /** The source of both measurements; null where there is none. */
  measuredBy?: 'CGROUPS_V2' | 'CGROUPS_V1' | 'ENGINE' | 'PROCESSES' | null;
  /** That of the job. */
  note?: string;
  /** Hash of the code of what ran it. */
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

/** A folder or file of this machine shown to a sandboxed command. A writable one belongs to the command while it runs. */
export interface Bind {
  from: string;
  /** Absolute path inside the sandbox, for example `/deps`. */
  to: string;
  writable: boolean;
}

/** A command for {@link Runtime.sandboxed}: the same sandbox as an execution, with other folders. */
export interface SandboxedCommand {
  /** Absolute path of the program and its arguments; `/usr/bin/python3` and `/runner/*` (packages/runtime/python) exist inside. */
  command: readonly string[];
  binds: readonly Bind[];
  environment: Record<string, string>;
  /** The Python that `/usr/bin/python3` is, for example `3.12`. Without it, that of the root of the sandbox. */
  python?: string;
  /** Default `/tmp`. */
  workingDirectory?: string;
  /** HOST shares the network of this machine: only for our own tools (pip), never for user code. */
  network: 'NONE' | 'HOST';
  /** Bytes for stdin; without it stdin is empty. */
  input?: string;
  limits: Pick<Limits, 'memoryBytes' | 'cpus' | 'processes' | 'runTimeMs' | 'tmpBytes' | 'fileBytes' | 'logBytes'>;
  /** Called for every line as it comes, stdout as INFO and stderr as WARNING unless the line names its severity. */
  onLine?: (line: LogLine) => void;
  /** Aborting ends the command at once. */
  signal?: AbortSignal;
}

/** How a sandboxed command ended. */
export interface SandboxedOutcome {
  /** Null when a signal or a limit ended it. */
  exitCode: number | null;
  /** Null when it ended by itself, otherwise the limit or signal in words. */
  cause: Cause | null;
  /** Its standard output, at most the first 4 MiB. */
  stdout: string;
}

/** A look into the runner, for the status page and for tests. */
export interface RunnerStatus {
  runnerPid: number;
  /** Hash of the runner's own code and protocol. */
  version: string;
  running: { executionId: string; pid: number }[];
  warm: { sourceDir: string; pid: number; bytes: number }[];
  /** Id of the project's own root that sandboxes are made of, or null while they see a part of this machine's `/usr`. */
  root: string | null;
  /** Sandboxes of builds now running. */
  commands: number;
  /** Whether memory, processor time and processes are limited by cgroups (root) or by rlimits only. */
  limitedBy: 'CGROUPS_V2' | 'CGROUPS_V1' | 'RLIMITS';
}

/** Where user code runs: by the drivers of this machine's runner, the sandbox and containers. */
export interface Runtime {
  /**
   * Starts an execution once: a known id answers ALREADY_KNOWN and nothing runs again. Resolves when the job has been handed over.
   * @throws RuntimeUnavailable when the runner could not be reached or the connection was lost: ask {@link list} before trying again.
   * @throws StartRefused when the sandbox could not be made; the code has certainly not run and the id is free again.
   */
  start(job: ExecutionJob): Promise<'STARTED' | 'ALREADY_KNOWN'>;
  /** SIGTERM, then the end of every process after a grace; the end is reported as CANCELLED. Unknown or ended ids: nothing happens. */
  cancel(executionId: string): Promise<void>;
  /**
   * Frees the slot of an execution whatever holds it: every process of it is ended at once, and its end is reported soon, as
   * LOST when nothing better is known and even when it cannot be recorded. Unknown or ended ids: nothing happens.
   */
  end(executionId: string): Promise<void>;
  list(): Promise<KnownExecution[]>;
  /** Removes everything kept of an ended execution. Unknown ids: nothing happens. */
  forget(executionId: string): Promise<void>;
  /** Whole NDJSON lines ({@link LogLine}) from a byte position on, at most 1 MiB at a time. */
  readLog(executionId: string, fromByte: number): Promise<{ bytes: Buffer; nextByte: number }>;
  /** Ends are reported at least once: after reconnecting, also those that came while the connection was down. Returns the unsubscriber. */
  onEnded(listener: (end: ExecutionEnd) => void): () => void;
  /** Tells how long a log has become, at most 20 times a second per execution. Returns the unsubscriber. */
  onLog(listener: (executionId: string, bytes: number) => void): () => void;
  sandboxed(request: SandboxedCommand): Promise<SandboxedOutcome>;
  /** Asks for warm workers for this code; also ends idle workers of other code with the same environment that it supersedes when told so. */
  prewarm(code: Code, environment: Record<string, string>, limits: Limits): Promise<void>;
  /** A root of the project's own was built: new sandboxes are made of it. */
  renewRoot(): Promise<void>;
  status(): Promise<RunnerStatus>;
  /** A clean stop: warm workers end, running executions go on and are collected by the next platform process. */
  close(): Promise<void>;
}

/** An engine that speaks the API of Docker, on this machine: it sees the data folder under the same path. */
export interface ContainerEngine {
  socketPath: string;
  /** A network of the engine for executions; `none` for none. */
  network: string;
}

export interface RuntimeOptions {
  dataDir: string;
  /** The engine that runs containers; null where there is none. */
  containers?: ContainerEngine | null;
  /** Idle workers kept in memory altogether, default 512 MiB; 0 turns the pool off. */
  warmBytes?: number;
  /** Idle workers per code, default 1. */
  warmPerCode?: number;
  /** An idle worker ends after this time, default 300,000 ms. */
  warmIdleMs?: number;
  /** From SIGTERM to the end of all processes at cancel, default 3,000 ms. */
  cancelGraceMs?: number;
  /** Private networks (`10.1.0.0/16`) that services may reach when they declare hosts there. Default none. */
  serviceNetworks?: readonly string[];
  /**
   * Bytes that stay free on the disk of the data folder: below it no execution starts, and the one that holds the most is
   * ended. Default 1 GiB, or 2 % of a smaller disk.
   */
  freeBytes?: number;
  /** A runner without platform and without running executions exits after this time, default 10,000 ms. */
  lonelyMs?: number;
  /** Told when the runner was lost and when another one was reached. */
  onConnection?: (state: 'CONNECTED' | 'LOST', detail: string) => void;
}

export type SandboxCheck = { usable: true; how: string } | { usable: false; reason: string; remedy: string };

/** The connection to the runner is down or went down while a request was open. Trying again later can help. */
export class RuntimeUnavailable extends Error {
  override readonly name = 'RuntimeUnavailable';
  readonly retryable = true;
}

/** The runner could not make the sandbox. The code has not run, the id is free again; trying again later can help. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused';
  readonly retryable = true;
}
