import type { AuditEntry, Invitation, Member, MemberRole, Organization } from '@kethub/contract';
import { path, query, sendForJson, sendForNothing, type CallOptions, type Connection } from './connection.ts';

export interface AuditQuery {
  readonly action?: string | undefined;
  readonly resourceId?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Organizations, their members and invitations, and the audit log of the user or of the organization one acts in. */
export function organizationsAt(connection: Connection) {
  const of = (id: string) => path`/organizations/${id}`;
  return {
    organizations: (options?: CallOptions) =>
      sendForJson<Organization[]>(connection, { path: '/organizations', ...options }),
    createOrganization: (name: string, options?: CallOptions) =>
      sendForJson<Organization>(connection, { method: 'POST', path: '/organizations', json: { name }, ...options }),
    leaveOrganization: (id: string, options?: CallOptions) =>
      sendForNothing(connection, { method: 'DELETE', path: `${of(id)}/membership`, ...options }),
    members: (id: string, options?: CallOptions) =>
      sendForJson<Member[]>(connection, { path: `${of(id)}/members`, ...options }),
    changeMember: (id: string, userId: string, role: MemberRole, options?: CallOptions) =>
      sendForJson<Member>(connection, {
        method: 'PUT',
        path: path`/organizations/${id}/members/${userId}`,
        json: { role },
        ...options,
      }),
    invite: (id: string, invitation: { email: string; role: MemberRole }, options?: CallOptions) =>
      sendForJson<Invitation>(connection, {
        method: 'POST',
        path: `${of(id)}/invitations`,
        json: invitation,
        ...options,
      }),
    /** Those to the e-mail address of the caller. */
    invitations: (options?: CallOptions) => sendForJson<Invitation[]>(connection, { path: '/invitations', ...options }),
    acceptInvitation: (id: string, options?: CallOptions) =>
      sendForJson<Organization>(connection, {
        method: 'POST',
        path: path`/invitations/${id}/acceptance`,
        ...options,
      }),
    auditLog: (asked: AuditQuery, options?: CallOptions) =>
      sendForJson<AuditEntry[]>(connection, { path: `/audit-log${query(asked)}`, ...options }),
  };
}
