import type {
  Code, ContainerEngine, ExecutionEnd, ExecutionJob, KnownExecution, KubernetesSettings, Limits, LogLine, RunnerStatus, SandboxedCommand, SandboxedOutcome,
} from '../types.ts'; // prettier-ignore

/**
 * The version of the protocol between platform and runner, over the unix socket of the data folder. A platform can use
 * a runner of another version if this number is the same. `welcome` and `retire` never change.
 */
export const PROTOCOL = 1;

/** The settings that a platform chooses for its runner. */
export interface Settings {
  warmBytes: number;
  warmPerCode: number;
  warmIdleMs: number;
  /** A platform of an older version does not send these two. */
  warmPods?: number;
  warmPodIdleMs?: number;
  cancelGraceMs: number;
  /**
   * Milliseconds without a platform and without work, after which the runner ends. A platform of an older version does
   * not send it.
   */
  idleExitMs?: number;
  /** Bytes that stay free on the disk of the data folder. A platform of an older version does not send it. */
  freeBytes?: number | null;
  /** Private networks that services may reach. */
  networks?: readonly string[];
  /** A platform of an older version does not send it. */
  containers?: ContainerEngine | null;
  /** A platform of an older version does not send it. */
  kubernetes?: KubernetesSettings | null;
}

/** A job without its input, which is the body of the frame. */
export type JobHeader = Omit<ExecutionJob, 'input'>;
/** A command without its input, which is the body. With `lines`, its output comes back as events. */
export type CommandHeader = Omit<SandboxedCommand, 'input' | 'onLine' | 'signal'> & { lines: boolean };

type Nothing = Record<string, never>;

export interface Methods {
  configure: { params: { settings: Settings }; result: null };
  start: { params: { job: JobHeader }; result: 'STARTED' | 'ALREADY_KNOWN' };
  cancel: { params: { executionId: string }; result: null };
  /** A runner of an older version does not know it. */
  end: { params: { executionId: string }; result: null };
  list: { params: Nothing; result: KnownExecution[] };
  forget: { params: { executionId: string }; result: null };
  sandboxed: { params: { request: CommandHeader }; result: SandboxedOutcome };
  /** Ends the sandboxed command of request `target`. */
  abort: { params: { target: number }; result: null };
  prewarm: { params: { code: Code; environment: Record<string, string>; limits: Limits }; result: null };
  /** A runner of an older version does not know it. */
  endWarmPods: { params: { versions: readonly string[] }; result: null };
  renewRoot: { params: Nothing; result: null };
  status: { params: Nothing; result: RunnerStatus };
  /** The platform stops: warm workers end, and so does the runner if nothing runs. Returns whether it ends. */
  close: { params: Nothing; result: { exits: boolean } };
  /** A newer platform has come: end as soon as nothing runs. */
  retire: { params: Nothing; result: null };
}

export type Method = keyof Methods;
export type Request = { [M in Method]: { id: number; method: M; params: Methods[M]['params'] } }[Method];

export interface WireError {
  name: string;
  message: string;
}

export type Message =
  | { event: 'welcome'; protocol: number; version: string; runnerPid: number }
  | { event: 'ended'; end: ExecutionEnd }
  | { event: 'log'; executionId: string; bytes: number }
  | { event: 'line'; id: number; line: LogLine }
  | { event: 'answer'; id: number; value: unknown }
  | { event: 'failed'; id: number; error: WireError };
