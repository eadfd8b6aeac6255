import type { ProblemCode } from '@kethub/contract';

/** What an endpoint answers to whom it does not admit: one for approved users, and one for their login sessions. */
export const door: readonly ProblemCode[] = [
  'not-authenticated',
  'not-approved',
  'account-being-deleted',
  'unknown-organization',
  'identity-provider-unavailable',
];
export const sessionDoor: readonly ProblemCode[] = [...door, 'login-session-required'];
