import type { MemberRole } from '@kethub/contract';

/** Roles, each with the word for it and its rights. */
export type RoleTexts = Readonly<Record<MemberRole, { readonly word: string; readonly rights: string }>>;

/** The roles in an organization. */
export const ROLES: RoleTexts = {
  VIEWER: { word: 'viewer', rights: 'Sees everything, changes nothing.' },
  MAINTAINER: { word: 'maintainer', rights: 'Makes, runs and changes services, applications and data pools as well.' },
  OWNER: { word: 'owner', rights: 'Manages members, marketplace and deletion as well.' },
};

export const CHOICES = (Object.keys(ROLES) as MemberRole[]).map((role) => ({ value: role, label: ROLES[role].word }));

export function roleOf(text: string | null): MemberRole {
  return text === 'OWNER' || text === 'MAINTAINER' ? text : 'VIEWER';
}

export function roleInWords(role: string): string {
  return ROLES[roleOf(role)].word;
}
