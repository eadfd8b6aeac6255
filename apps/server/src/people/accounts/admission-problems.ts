import type { ProblemCode } from '@kethub/contract';
import { isOperation } from '@kethub/contract';
import type { PlatformAccess } from '../../foundation/platform.ts';

/** Problems of the admission to an endpoint for approved users. */
const admissionProblems: readonly ProblemCode[] = [
  'not-authenticated',
  'not-approved',
  'account-being-deleted',
  'unknown-organization',
  'outside-token-scope',
  'identity-provider-unavailable',
];

/** Problems with which the admission may refuse a request for this access. */
export function refusals(access: PlatformAccess): readonly ProblemCode[] {
  if (access === 'ANYONE' || access === 'RAW_TOKEN') return [];
  if (access === 'SIGNED_IN') return ['not-authenticated', 'outside-token-scope', 'identity-provider-unavailable'];
  if (access === 'LOGIN_SESSION') return [...admissionProblems, 'login-session-required'];
  if (access === 'ADMINISTRATOR') return [...admissionProblems, 'not-administrator'];
  return isOperation(access) ? [...admissionProblems, 'not-permitted'] : admissionProblems;
}
