import type { Readable } from 'node:stream';
import type { Layout } from './bwrap.ts';
import type { CgroupLimits } from './cgroups.ts';

export interface Exit {
  /** Exit code of the command. Null when a signal ended bubblewrap itself. */
  code: number | null;
  signal: string | null;
  /** False only when it is certain that the command was never executed. */
  commandRan: boolean;
  outOfMemory: boolean;
  peakMemoryBytes: number | null;
  cpuMs: number | null;
  /** Set when no cgroup of ours has measured both. PROCESSES: the memory is that of the largest process. */
  measuredBy?: 'ENGINE' | 'PROCESSES';
  /** The outcome is unknown: the container was ended from outside, or its traces are gone. */
  lost?: boolean;
}

/** A living sandbox. */
export interface Sandbox {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when every process is dead and the output has been read to the end. Never rejects. */
  readonly ended: Promise<Exit>;
  /** Writes all of stdin and closes it, but not before the limits hold. */
  send(input: Buffer): void;
  /**
   * True when it is certain that the command has not read all of its input, because it closed its end first. A callback
   * of the stream cannot tell: it also fails when a fast command has ended before Node reports that all was written.
   */
  readonly inputRefused: boolean;
  memoryBytes(): number | null;
  /** All living processes; without cgroups, those below bubblewrap. */
  processes(): number[];
  /**
   * Calls `then` once, when the command reports that it is ready. Only a hint: user code may send or withhold this
   * report.
   */
  onReady(then: () => void): void;
  /** Stops every process until {@link thaw}. Kills what cannot be stopped. */
  freeze(): void;
  thaw(): void;
  /** Sends SIGTERM to the command's process group. */
  terminate(): void;
  /** Kills every process at once. */
  kill(): void;
}

/** A bubblewrap process that waits, in a cgroup of its own, for its layout. It takes 1 MB and no processor time. */
export interface PreparedSandbox extends Sandbox {
  /**
   * Sets the limits and makes the sandbox.
   * @throws when the layout cannot be passed on.
   */
  begin(layout: Layout, limits: CgroupLimits): void;
}
