import type { Exit } from '../sandbox/sandbox.ts';
import type { Cause, Limits, Outcome } from '../types.ts';
import type { Excess } from './output-guard.ts';
import type { Written } from './result.ts';

/** The reason why we ended an execution. */
export type Ending = 'CANCELLED' | 'RUN_TIME' | Excess | null;

/** The facts about an execution whose processes are dead. */
export interface Observed {
  exit: Exit;
  ending: Ending;
  written: Written;
  /** False only for a warm worker that certainly ended before it had read its job. */
  tookJob: boolean;
  /** Without cgroups, too much memory is refused to the program; with them, it ends the process. */
  memoryIsRefused: boolean;
  /** True when a program that exits with 0 and writes no result has an empty one. */
  resultIsOptional?: boolean;
}

export interface Verdict {
  outcome: Outcome;
  cause: Cause | null;
}

/** Judges how an execution ended. If a limit ended it, the cause names the limit with its value. */
export function judge(observed: Observed, limits: Limits): Verdict {
  const { exit, ending, written, tookJob, memoryIsRefused, resultIsOptional = false } = observed;
  if (ending === 'CANCELLED') return { outcome: 'CANCELLED', cause: causes.cancelled };
  if (ending === 'RUN_TIME') return failed(limitCause('Run time', runTimeDetail(limits)));
  if (ending === 'OUTPUT') return failed(limitCause('Output', outputDetail(limits)));
  if (ending === 'DISK') return failed(causes.disk);
  if (exit.lost) return { outcome: 'LOST', cause: causes.lost };
  if (!exit.commandRan) return { outcome: 'NOT_STARTED', cause: causes.notStarted };
  if (!tookJob && !exit.outOfMemory) return { outcome: 'NOT_STARTED', cause: causes.notStarted };
  if (exit.code === 0 && written.kind === 'RESULT') return { outcome: 'SUCCEEDED', cause: null };
  if (exit.code === 0 && written.kind === 'NOTHING' && resultIsOptional) return { outcome: 'SUCCEEDED', cause: null };
  if (written.kind === 'INVALID' && exit.code === 0) return failed(written.cause);
  if (exit.outOfMemory && written.kind !== 'FAILURE') return failed(limitCause('Memory', memoryDetail(limits)));
  if (written.kind === 'FAILURE' && memoryIsRefused && written.cause.title === 'MemoryError') {
    return failed(limitCause('Memory', memoryDetail(limits)));
  }
  if (written.kind === 'FAILURE') return failed(written.cause);
  return failed(causeOfExit(exit.code, exit.signal));
}

/**
 * Fails an execution that exited with 0 but left more than can be offered: callers must not take a part for the whole.
 */
export function tooMuchLeft(verdict: Verdict, what: 'FILES' | 'BYTES', offered: number, limits: Limits): Verdict {
  if (verdict.outcome !== 'SUCCEEDED') return verdict;
  const most = what === 'FILES' ? `${limits.outputFiles} files` : inUnits(limits.outputBytes);
  const detail =
    `The program left more than ${most} in /var/runtime/output, which is its limit. ${offered} files are kept, the first ` +
    'by their names. Put what belongs together into one file, such as an archive.';
  return failed(limitCause('Output', detail));
}

/** The cause when a signal or a limit ended a command, or null when it ended with an exit code of its own. */
export function limitOfExit(exit: Exit, limits: Pick<Limits, 'memoryBytes'>): Cause | null {
  if (exit.outOfMemory) return limitCause('Memory', memoryDetail(limits));
  if (exit.code === null || exit.code > 128) return causeOfExit(exit.code, exit.signal);
  return null;
}

export function runTimeCause(limits: Pick<Limits, 'runTimeMs'>): Cause {
  return limitCause('Run time', runTimeDetail(limits));
}

const causes = {
  cancelled: { type: 'ExecutionCancelled', title: 'Cancelled', detail: 'The execution was cancelled while it ran.' },
  notStarted: {
    type: 'ExecutionNotStarted',
    title: 'Not started',
    detail: 'It ended before the program began. The log of the execution says why, where that is known.',
  },
  disk: {
    type: 'DiskFull',
    title: 'Disk full',
    detail:
      'The disk of this machine is nearly full, and the files of this program took the most of it. Try again later, or write less.',
  },
  lost: lostCause('What ran the program was ended. Whether the program finished cannot be known.'),
} satisfies Record<string, Cause>;

export function lostCause(detail: string): Cause {
  return { type: 'ExecutionLost', title: 'Execution lost', detail };
}

function failed(cause: Cause): Verdict {
  return { outcome: 'FAILED', cause };
}

/** The cause when no data pool can be changed. */
export function poolCause(parameter: string, why: string): Cause {
  const detail = `No data pool was changed, because of the one for ${JSON.stringify(parameter)}: ${why}`;
  return { type: 'DataPoolNotChanged', title: 'Data pool not changed', detail };
}

export function limitCause(what: string, detail: string): Cause {
  return { type: `${what.replace(' ', '')}LimitExceeded`, title: `${what} limit exceeded`, detail };
}

function memoryDetail(limits: Pick<Limits, 'memoryBytes'>): string {
  return `The program needed more than ${inUnits(limits.memoryBytes)} of memory, which is its limit. Files in /tmp count as memory.`;
}

function runTimeDetail(limits: Pick<Limits, 'runTimeMs'>): string {
  return `The program ran longer than ${limits.runTimeMs / 1000} seconds, which is its limit.`;
}

function outputDetail(limits: Limits): string {
  return (
    `The program wrote far more to /var/runtime/output, or to folders of its image, than the ${inUnits(limits.outputBytes)} ` +
    `or ${limits.outputFiles} files that an execution may leave.`
  );
}

/** Bubblewrap and shells report the end by signal n as 128 + n. */
function causeOfExit(code: number | null, signal: string | null): Cause {
  const type = 'ProgramEnded';
  if (code === 0) {
    return {
      type,
      title: 'No result',
      detail: 'The program ended its process before `run` returned, so there is no result.',
    };
  }
  const name = code !== null && code > 128 ? (SIGNALS[code - 128] ?? `signal ${code - 128}`) : signal;
  if (name !== null)
    return { type, title: 'Ended by a signal', detail: `The process of the program was ended by ${name}.` };
  return {
    type,
    title: 'Ended early',
    detail: `The process of the program ended with exit code ${code}, without a result.`,
  };
}

const SIGNALS: Readonly<Record<number, string>> = {
  1: 'SIGHUP', 2: 'SIGINT', 3: 'SIGQUIT', 4: 'SIGILL (a machine instruction that this processor does not know)', 5: 'SIGTRAP',
  6: 'SIGABRT (it aborted itself)', 7: 'SIGBUS', 8: 'SIGFPE', 9: 'SIGKILL', 10: 'SIGUSR1', 11: 'SIGSEGV (a memory access error)',
  12: 'SIGUSR2', 13: 'SIGPIPE', 14: 'SIGALRM', 15: 'SIGTERM', 24: 'SIGXCPU', 25: 'SIGXFSZ (a file beyond the size limit)',
  31: 'SIGSYS (a forbidden system call)',
}; // prettier-ignore

/** "512 MiB", "1.5 GiB". */
function inUnits(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${Number(value.toFixed(1))} ${units[unit]}`;
}
