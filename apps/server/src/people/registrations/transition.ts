import type { ApprovalStatus, ChangeRegistrationRequest } from '@kethub/contract';
import type { AccountState } from '../identity/index.ts';

/** Every legal move. An approved person is not rejected any more, but switched off. */
const moves: Readonly<Record<ApprovalStatus, readonly ApprovalStatus[]>> = {
  PENDING: ['APPROVED', 'REJECTED'],
  REJECTED: ['APPROVED'],
  APPROVED: [],
};

/** The state after a decision, or null when it is not possible. What is so already may be decided again. */
export function transition(state: AccountState, decision: ChangeRegistrationRequest): AccountState | null {
  const { status = state.status, enabled = state.enabled } = decision;
  return status === state.status || moves[state.status].includes(status) ? { status, enabled } : null;
}
