import type { ApprovalStatus, ChangeRegistrationRequest } from '@kethub/contract';
import type { Standing } from '../identity/index.ts';

/** Every legal move. An approved person is not rejected any more, but switched off. */
const moves: Readonly<Record<ApprovalStatus, readonly ApprovalStatus[]>> = {
  PENDING: ['APPROVED', 'REJECTED'],
  REJECTED: ['APPROVED'],
  APPROVED: [],
};

/** The standing after a decision, or null when it is not possible. What is so already may be decided again. */
export function transition(standing: Standing, decision: ChangeRegistrationRequest): Standing | null {
  const { status = standing.status, enabled = standing.enabled } = decision;
  return status === standing.status || moves[standing.status].includes(status) ? { status, enabled } : null;
}
