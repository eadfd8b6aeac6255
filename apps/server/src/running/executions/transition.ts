import type { ExecutionStatus } from '@kethub/contract';

/** What happens to an execution. */
export type ExecutionEvent =
  | 'CLAIMED' // a worker takes it
  | 'NOT_STARTED' // the worker gives it back: its code has certainly not run
  | 'SUCCEEDED'
  | 'FAILED'
  | 'CANCELLED'
  | 'LOST' // whether the code finished cannot be known
  // Of workflows, whose FAILED can be mended: an incident is open, and the instance lives.
  | 'WORKFLOW_RUNNING'
  | 'WORKFLOW_FAILED'
  | 'WORKFLOW_SUCCEEDED'
  | 'WORKFLOW_CANCELLED';

/** Every legal move; a pair that is not here does not happen. Final states have none but those of workflows. */
const moves: Readonly<Record<ExecutionStatus, Partial<Record<ExecutionEvent, ExecutionStatus>>>> = {
  PENDING: { CLAIMED: 'RUNNING', CANCELLED: 'CANCELLED', FAILED: 'FAILED' },
  RUNNING: {
    NOT_STARTED: 'PENDING',
    SUCCEEDED: 'SUCCEEDED',
    FAILED: 'FAILED',
    CANCELLED: 'CANCELLED',
    LOST: 'UNKNOWN',
    WORKFLOW_RUNNING: 'RUNNING',
    WORKFLOW_FAILED: 'FAILED',
    WORKFLOW_SUCCEEDED: 'SUCCEEDED',
    WORKFLOW_CANCELLED: 'CANCELLED',
  },
  SUCCEEDED: {},
  CANCELLED: {},
  FAILED: {
    WORKFLOW_RUNNING: 'RUNNING',
    WORKFLOW_FAILED: 'FAILED',
    WORKFLOW_SUCCEEDED: 'SUCCEEDED',
    WORKFLOW_CANCELLED: 'CANCELLED',
  },
  UNKNOWN: {},
};

/** The status after `event`, or null when the event is not possible in this status. */
export function transition(status: ExecutionStatus, event: ExecutionEvent): ExecutionStatus | null {
  return moves[status][event] ?? null;
}

/** Whether nothing changes this status any more, not even an operator who mends a workflow. */
export function hasNoWayOut(status: ExecutionStatus): boolean {
  return Object.keys(moves[status]).length === 0;
}

/** The statuses in which `event` is possible and that lead to the same next one: the condition of the SQL that makes the move. */
export function before(event: ExecutionEvent): ExecutionStatus[] {
  const statuses = Object.keys(moves) as ExecutionStatus[];
  return statuses.filter((status) => transition(status, event) !== null);
}

/** The one status that `event` leads to, from wherever it is possible. */
export function after(event: ExecutionEvent): ExecutionStatus {
  const next = new Set(before(event).map((status) => transition(status, event)));
  const [only] = next;
  if (next.size !== 1 || !only) throw new Error(`${event} does not lead to one status`);
  return only;
}
