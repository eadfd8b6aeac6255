import type { MemberRole } from '@kethub/contract';

/** The roles on a data pool, in words. */
export const ROLES: Readonly<Record<MemberRole, string>> = {
  VIEWER: 'reads files',
  MAINTAINER: 'changes files',
  OWNER: 'manages members',
};

export function roleInWords(role: MemberRole): string {
  return ROLES[role];
}
