import type { ExecutionStatus } from '@kethub/contract';

/** Events that change the status of an execution. */
export type ExecutionEvent =
  | 'CLAIMED' // by a worker
  | 'NOT_STARTED' // its code has certainly not run: it is PENDING again
  | 'SUCCEEDED'
  | 'FAILED'
  | 'CANCELLED'
  | 'LOST' // whether the code finished cannot be known
  // A FAILED workflow can be repaired: an incident is open, and its instance is alive.
  | 'WORKFLOW_RUNNING'
  | 'WORKFLOW_FAILED'
  | 'WORKFLOW_SUCCEEDED'
  | 'WORKFLOW_CANCELLED';

/** All legal moves. Final statuses have only those of workflows. */
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

/** Returns whether this status never changes, not even when an operator repairs a workflow. */
export function hasNoWayOut(status: ExecutionStatus): boolean {
  return Object.keys(moves[status]).length === 0;
}

/** The statuses in which `event` is possible: the condition of the SQL statement that makes the move. */
export function before(event: ExecutionEvent): ExecutionStatus[] {
  const statuses = Object.keys(moves) as ExecutionStatus[];
  return statuses.filter((status) => transition(status, event) !== null);
}

/** The status that `event` leads to. */
export function after(event: ExecutionEvent): ExecutionStatus {
  const next = new Set(before(event).map((status) => transition(status, event)));
  const [only] = next;
  if (next.size !== 1 || !only) throw new Error(`${event} does not lead to one status`);
  return only;
}
