import { memberRoles, type MemberRole } from './organizations.ts';

/**
 * The operations on resources of a user or an organization, each with the least role that may call it. A person is
 * OWNER of personal resources. An endpoint names its operation as its access, and this table decides.
 */
export const operations = {
  'organization:read': 'VIEWER',
  'organization:leave': 'VIEWER',
  'organization:change': 'OWNER',
  'organization:delete': 'OWNER',
  'member:list': 'VIEWER',
  'member:change': 'OWNER',
  'member:remove': 'OWNER',
  'invitation:list': 'OWNER',
  'invitation:create': 'OWNER',
  'invitation:delete': 'OWNER',
  'audit-log:read': 'OWNER',

  'application:list': 'VIEWER',
  'application:read': 'VIEWER',
  'application:create': 'MAINTAINER',
  'application:change': 'MAINTAINER',
  'application:delete': 'OWNER',
  'application:transfer': 'OWNER',
  'access-key:rotate': 'MAINTAINER',
  'access-key:reveal': 'MAINTAINER',
  'subscription:list': 'VIEWER',
  'subscription:read': 'VIEWER',
  'subscription:create': 'MAINTAINER',
  'subscription:delete': 'MAINTAINER',

  'data-pool:list': 'VIEWER',
  'data-pool:read': 'VIEWER',
  'data-pool:create': 'MAINTAINER',
  'data-pool:change': 'MAINTAINER',
  'data-pool:delete': 'OWNER',
  'data-pool:transfer': 'OWNER',
  'data-pool:leave': 'OWNER',
  'data-pool-file:write': 'MAINTAINER',
  'data-pool-file:delete': 'MAINTAINER',
  'data-pool-member:list': 'VIEWER',
  'data-pool-member:change': 'OWNER',
  'data-pool-member:remove': 'OWNER',

  'implementation:list': 'VIEWER',
  'implementation:read': 'VIEWER',
  'implementation:create': 'MAINTAINER',
  'implementation:import': 'MAINTAINER',
  'implementation-import:read': 'MAINTAINER',
  'implementation-import:change': 'OWNER',
  'implementation:push': 'MAINTAINER',
  'implementation:build': 'MAINTAINER',
  'implementation:change': 'OWNER',
  'implementation:delete': 'OWNER',
  'implementation:transfer': 'OWNER',
  'implementation:leave': 'OWNER',
  'implementation-member:list': 'MAINTAINER',
  'implementation-member:change': 'OWNER',
  'implementation-member:remove': 'OWNER',

  'service:list': 'VIEWER',
  'service:read': 'VIEWER',
  'service:create': 'MAINTAINER',
  'service:change': 'MAINTAINER',
  'service:publish': 'MAINTAINER',
  'service:retire': 'MAINTAINER',
  'service:delete': 'OWNER',
  'service:transfer': 'OWNER',
  'service:automate': 'MAINTAINER',

  'listing:read': 'VIEWER',
  'listing:publish': 'OWNER',
  'listing:unpublish': 'OWNER',
  'cost:read': 'VIEWER',
  'revenue:read': 'OWNER',

  'provider-access-token:list': 'MAINTAINER',
  'provider-access-token:set': 'MAINTAINER',
  'provider-access-token:delete': 'MAINTAINER',
  'limits:read': 'VIEWER',
  'limits:change': 'MAINTAINER',

  'share:list': 'VIEWER',
  'share:read': 'VIEWER',
  'share:create': 'MAINTAINER',
  'share:change': 'MAINTAINER',
  'share:delete': 'MAINTAINER',
  'shared-service:list': 'VIEWER',
  'shared-service:read': 'VIEWER',

  'execution:list': 'VIEWER',
  'execution:read': 'VIEWER',
  'execution:start': 'MAINTAINER',
  'execution:cancel': 'MAINTAINER',
  'execution:delete': 'MAINTAINER',
  'storage:read': 'VIEWER',
  'storage:change': 'OWNER',
  'workflow-instance:list': 'VIEWER',
  'workflow-instance:read': 'VIEWER',
  'workflow-instance:retry': 'MAINTAINER',
  'workflow-schedule:list': 'VIEWER',
  'workflow-schedule:retry': 'MAINTAINER',
  'workflow-message:publish': 'MAINTAINER',
  'workflow-signal:broadcast': 'MAINTAINER',
  'usage:report': 'MAINTAINER',
} as const satisfies Record<string, MemberRole>;

export type Operation = keyof typeof operations;

/** Returns whether `role` may call `operation`. */
export function isAllowed(role: MemberRole, operation: Operation): boolean {
  return memberRoles.indexOf(role) >= memberRoles.indexOf(operations[operation]);
}

/**
 * Returns whether an access is an operation on a resource, which the role decides, and not a property of the caller
 * alone.
 */
export function isOperation(access: string): access is Operation {
  return Object.hasOwn(operations, access);
}
