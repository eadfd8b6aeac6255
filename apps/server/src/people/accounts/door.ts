import type { ProblemCode } from '@kethub/contract';
import { isOperation } from '@kethub/contract';
import type { PlatformAccess } from '../../foundation/platform.ts';

/** What an endpoint answers to whom it does not admit: one for approved users, and one for their login sessions. */
export const door: readonly ProblemCode[] = [
  'not-authenticated',
  'not-approved',
  'account-being-deleted',
  'unknown-organization',
  'identity-provider-unavailable',
];
export const sessionDoor: readonly ProblemCode[] = [...door, 'login-session-required'];

/** What the door itself may answer to a request for this access. */
export function refusals(access: PlatformAccess): readonly ProblemCode[] {
  if (access === 'ANYONE' || access === 'RAW_TOKEN') return [];
  if (access === 'SIGNED_IN') return ['not-authenticated', 'identity-provider-unavailable'];
  if (access === 'ADMINISTRATOR') return [...door, 'not-administrator'];
  return isOperation(access) ? [...door, 'not-permitted'] : door;
}
