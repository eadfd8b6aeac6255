import type { Readable } from 'node:stream';
import type { Layout } from './bwrap.ts';
import type { CgroupLimits } from './cgroups.ts';

export interface Exit {
  /** Exit code of the command; null when a signal ended bubblewrap itself. */
  code: number | null;
  signal: string | null;
  /** False only when it is certain that the command was never executed. */
  commandRan: boolean;
  outOfMemory: boolean;
  peakMemoryBytes: number | null;
  cpuMs: number | null;
  /** Set when cgroups of ours have not measured both; of PROCESSES the memory is that of the largest. */
  measuredBy?: 'ENGINE' | 'PROCESSES';
  /** Whether it finished cannot be known: what ran it was ended, or its traces are gone. */
  lost?: boolean;
}

/** A living sandbox. */
export interface Sandbox {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** When every process of it is dead and its output has been read to the end. Never rejects. */
  readonly ended: Promise<Exit>;
  /** Writes all of stdin and ends it, but not before the limits hold. */
  send(input: Buffer): void;
  /**
   * True when it is certain that the command has not read all of its input: it was closed before all could be written. A
   * callback of the stream would not do: it also fails when a fast command has ended before we hear that all was written.
   */
  readonly inputRefused: boolean;
  memoryBytes(): number | null;
  /** All that live; without cgroups those below bubblewrap. */
  processes(): number[];
  /** Calls `then` once, when the command reports that it is ready. Only a hint: user code may report it as well, or keep it back. */
  onReady(then: () => void): void;
  /** Stops every process, until {@link thaw}. What cannot be stopped is killed. */
  freeze(): void;
  thaw(): void;
  /** SIGTERM to the command's process group. */
  terminate(): void;
  /** Ends every process at once. */
  kill(): void;
}

/** A bubblewrap process that waits, in a cgroup of its own, for its layout. It holds 1 MB and costs no time. */
export interface PreparedSandbox extends Sandbox {
  /** Sets the limits and makes the sandbox. @throws when the layout cannot be passed on. */
  begin(layout: Layout, limits: CgroupLimits): void;
}
