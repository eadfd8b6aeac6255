import type { ApprovalStatus, ChangeRegistrationRequest } from '@kethub/contract';
import type { AccountState } from '../identity/index.ts';

/** The allowed transitions. An approved person cannot be rejected, only blocked. */
const moves: Readonly<Record<ApprovalStatus, readonly ApprovalStatus[]>> = {
  PENDING: ['APPROVED', 'REJECTED'],
  REJECTED: ['APPROVED'],
  APPROVED: [],
};

/** The state after a decision; null when the transition is not allowed. Deciding the current state again is allowed. */
export function transition(state: AccountState, decision: ChangeRegistrationRequest): AccountState | null {
  const { status = state.status, enabled = state.enabled } = decision;
  return status === state.status || moves[state.status].includes(status) ? { status, enabled } : null;
}
