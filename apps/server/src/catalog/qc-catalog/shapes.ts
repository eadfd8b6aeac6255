import { Id, limits, memberRoles, Request, Timestamp, NOT_BLANK, WITHOUT_NUL } from '@kethub/contract';
import { Type } from 'typebox';
import { grantPermissions } from '../datapools/index.ts';

/** The shapes that the client `qhub-api` sends and reads, without the members that Kethub does not have. */

const Role = Type.Enum([...memberRoles]);
const Tags = Type.Array(Type.String({ maxLength: limits.nameLength }), { maxItems: 50 });

export const QcDataPool = Type.Object(
  {
    id: Id,
    name: Type.String(),
    shortDescription: Type.String(),
    description: Type.String(),
    tags: Type.Array(Type.String()),
    createdAt: Timestamp,
    currentUserPermission: Role,
  },
  { $id: 'QcDataPool' },
);

export const QcDataPoolRequest = Request(
  {
    name: Type.String({ minLength: 1, maxLength: limits.nameLength, pattern: NOT_BLANK }),
    shortDescription: Type.Optional(Type.String({ maxLength: limits.descriptionLength })),
    description: Type.Optional(Type.String({ maxLength: limits.descriptionLength })),
    tags: Type.Optional(Tags),
  },
  { $id: 'QcDataPoolRequest' },
);

export const QcDataPoolFile = Type.Object(
  {
    id: Id,
    dataPoolId: Id,
    name: Type.String(),
    fullPath: Type.String(),
    contentType: Type.String(),
    contentLength: Type.Integer(),
    createdAt: Timestamp,
  },
  { $id: 'QcDataPoolFile' },
);

export const QcGrantRequest = Request(
  { applicationId: Id, permission: Type.Enum([...grantPermissions]) },
  { $id: 'QcGrantRequest' },
);

export const QcGrant = Type.Object({ token: Type.String() }, { $id: 'QcGrant' });

const Tenant = Request(
  {
    tenantType: Type.Enum(['USER', 'ORGANIZATION']),
    value: Type.String({ minLength: 1, maxLength: limits.idLength, pattern: WITHOUT_NUL }),
  },
  { $id: 'QcTenant' },
);

export const QcShare = Type.Object(
  {
    id: Type.String(),
    sharedWith: Tenant,
    role: Role,
    createdAt: Timestamp,
    active: Type.Boolean(),
    constraints: Type.Array(Type.Never()),
  },
  { $id: 'QcShare' },
);

export const QcShareRequest = Request({ sharedWith: Tenant, role: Type.Optional(Role) }, { $id: 'QcShareRequest' });
export const QcShareRoleRequest = Request({ role: Role }, { $id: 'QcShareRoleRequest' });

export const QcSubscriptionRequest = Request({ serviceId: Id, applicationId: Id }, { $id: 'QcSubscriptionRequest' });

export const QcSubscription = Type.Object(
  {
    id: Id,
    application: Type.Object({ id: Id, name: Type.String(), createdAt: Timestamp }),
    service: Type.Object({ id: Id, name: Type.String(), version: Type.String(), gatewayEndpoint: Type.String() }),
  },
  { $id: 'QcSubscription' },
);
