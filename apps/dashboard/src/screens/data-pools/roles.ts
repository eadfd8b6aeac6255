import type { MemberRole } from '@kethub/contract';

/** Rights of members of a data pool, by their roles. */
const RIGHTS: Readonly<Record<MemberRole, string>> = {
  VIEWER: 'reads files',
  MAINTAINER: 'changes files',
  OWNER: 'manages members',
};

export function rightsInWords(role: MemberRole): string {
  return RIGHTS[role];
}
