import { Type, type Static } from 'typebox';
import { EmailAddress, Id, Request, Timestamp } from './fields.ts';
import { limits } from './limits.ts';
import { NOT_BLANK } from './patterns.ts';

/** Roles of a member, each with the rights of the ones before it. */
export const memberRoles = ['VIEWER', 'MAINTAINER', 'OWNER'] as const;
export type MemberRole = (typeof memberRoles)[number];

const Role = Type.Enum([...memberRoles], {
  description: 'VIEWER sees, MAINTAINER changes as well, OWNER also manages members, publications and deletion.',
});
const Name = Type.String({ minLength: 1, maxLength: limits.nameLength, pattern: NOT_BLANK });

export const FoundOrganization = Type.Object({ id: Id, name: Type.String() }, { $id: 'FoundOrganization' });
export type FoundOrganization = Static<typeof FoundOrganization>;

export const Organization = Type.Object(
  {
    id: Id,
    name: Type.String(),
    role: Role,
    createdAt: Timestamp,
  },
  { $id: 'Organization', description: 'An organization that the caller has joined; `role` is the role of the caller.' },
);
export type Organization = Static<typeof Organization>;

export const OrganizationRequest = Request({ name: Name }, { $id: 'OrganizationRequest' });

export const Member = Type.Object(
  {
    userId: Type.String(),
    firstname: Type.String(),
    lastname: Type.String(),
    role: Role,
    joinedAt: Timestamp,
  },
  { $id: 'Member' },
);
export type Member = Static<typeof Member>;

export const MemberRequest = Request({ role: Role }, { $id: 'MemberRequest' });

export const Invitation = Type.Object(
  {
    id: Id,
    organizationId: Id,
    organizationName: Type.String(),
    email: Type.String(),
    role: Role,
    createdAt: Timestamp,
    expiresAt: Timestamp,
  },
  { $id: 'Invitation', description: 'A person with this verified e-mail address may join until it expires.' },
);
export type Invitation = Static<typeof Invitation>;

export const InvitationRequest = Request(
  {
    email: EmailAddress,
    role: Role,
  },
  { $id: 'InvitationRequest' },
);

export const TransferRequest = Request(
  {
    type: Type.Enum(['USER', 'ORGANIZATION']),
    id: Type.String({ minLength: 1, maxLength: limits.idLength }),
  },
  {
    $id: 'TransferRequest',
    description: 'The new owner: the caller, or an organization in which the caller is MAINTAINER or OWNER.',
  },
);
export type TransferRequest = Static<typeof TransferRequest>;

export const AuditEntry = Type.Object(
  {
    id: Id,
    at: Timestamp,
    actorId: Type.String({ description: 'The user who did it; `unknown` of a sign-in that was refused.' }),
    action: Type.String({
      description: 'The change: the kind of resource and the operation.',
      examples: ['access-key:rotate'],
    }),
    resourceId: Type.String(),
    detail: Type.Record(Type.String(), Type.Unknown(), { description: 'Details of the change, without secrets.' }),
  },
  {
    $id: 'AuditEntry',
    description: 'A change of rights, keys or publications, or sign-ins of a day from one network.',
  },
);
export type AuditEntry = Static<typeof AuditEntry>;
