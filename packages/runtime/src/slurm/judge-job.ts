import { lostCause, limitCause } from '../runner/outcome.ts';
import type { Cause, ExecutionEnd, Outcome } from '../types.ts';
import type { SlurmState } from './slurm.ts';

/** Facts that are known of a job that has left the queue without a record of its end. */
export interface Facts {
  readonly executionId: string;
  /** True if a node had claimed the job: user code may have run. */
  readonly ran: boolean;
  /** True if the platform had asked for its end. */
  readonly cancelled: boolean;
  /** True if the node recorded that it has ended the program, so that nothing of it runs. */
  readonly stopped?: boolean;
  /** The reason why the node could not start it. */
  readonly refusal: string | null;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly logBytes: number;
}

/** The state of a job that had begun and waits again. Slurm has no word for it. */
export const REQUEUED = 'REQUEUED';

/** True if the job has ended for a reason that is not in it: it may begin again, if it has not begun. */
export function hasLostNode(slurm: SlurmState | null): boolean {
  return slurm === null || ['NODE_FAIL', 'PREEMPTED', REQUEUED].includes(slurm.state);
}

/** Judges a job by what Slurm says of it; null when Slurm no longer knows it. */
export function endOf(slurm: SlurmState | null, facts: Facts): ExecutionEnd {
  const [outcome, cause] = verdictOf(slurm?.state ?? 'unknown to Slurm', facts);
  return {
    executionId: facts.executionId,
    outcome,
    cause,
    startedAt: facts.startedAt,
    endedAt: Math.max(facts.startedAt, Date.now()),
    result: null,
    files: [],
    peakMemoryBytes: null,
    cpuMs: null,
    logBytes: facts.logBytes,
  };
}

function verdictOf(state: string, { ran, cancelled, refusal, stopped }: Facts): [Outcome, Cause] {
  if (cancelled) return ['CANCELLED', causeOf('Execution cancelled', 'The execution was cancelled.')];
  if (refusal !== null)
    return ['FAILED', causeOf('Could not start', `The node of the cluster could not start the program: ${refusal}`)];
  if (!ran && state === 'CANCELLED') return ['FAILED', causeOf('Job removed', REMOVED)];
  if (!ran) {
    const detail = `The cluster ended the job before it began (${state}).`;
    return ['NOT_STARTED', causeOf('Job not started', detail)];
  }
  if (state === 'TIMEOUT' || state === 'DEADLINE') return ['FAILED', limitCause('Run time', TIME_OVER)];
  if (state === 'OUT_OF_MEMORY') return ['FAILED', limitCause('Memory', MEMORY_OVER)];
  if (state === 'PREEMPTED') return ['FAILED', causeOf('Job preempted', PREEMPTED)];
  if (state === 'CANCELLED') return ['FAILED', causeOf('Job cancelled', CANCELLED)];
  if (state === REQUEUED && stopped === true) return ['FAILED', causeOf('Job requeued', PUT_BACK)];
  const why = state === 'NODE_FAIL' ? 'Its node of the cluster failed' : `Its job left no record of its end (${state})`;
  return ['LOST', lostCause(`${why}. Whether the program finished cannot be known.`)];
}

const REMOVED =
  'Somebody removed the job from the queue of the cluster before it began. Start the execution again, or ask the operator.';
const TIME_OVER =
  'The cluster ended the job because its time was over. Raise the run time limit of the version, or compute less.';
const MEMORY_OVER =
  'The cluster ended the job because it used more memory than it had asked for. Raise the memory limit of the version.';
const PREEMPTED = 'The cluster ended the job in favour of one with a higher priority. Start the execution again.';
const CANCELLED = 'Somebody cancelled the job in the cluster. Start the execution again, or ask the operator.';
const PUT_BACK =
  'The cluster ended the program to put its job back into the queue. Kethub runs nothing twice. Start the execution again.';

function causeOf(title: string, detail: string): Cause {
  const type = title.replace(/ (\w)/g, (_match, letter: string) => letter.toUpperCase());
  return { type, title, detail };
}
