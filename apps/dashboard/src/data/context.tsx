import type { MemberRole, operations } from '@kethub/contract';
import { createContext, use } from 'react';
import type { Session } from '../session/session.ts';
import type { Platform } from './client.ts';

/** Context in which the person acts, from the address: `/me/…` or `/org/{id}/…`. */
export interface ActingContext {
  readonly platform: Platform;
  /** Start of every address in this context: `/me` or `/org/{id}`. Also the start of every query key. */
  readonly base: string;
  readonly organizationId: string | null;
  readonly name: string;
  /** Role of the person here; OWNER of what is their own. */
  readonly role: MemberRole;
}

export const SessionContext = createContext<Session | null>(null);
export const Acting = createContext<ActingContext | null>(null);

export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('A session is provided by main.tsx');
  return session;
}

export function useActing(): ActingContext {
  const acting = use(Acting);
  if (!acting) throw new Error('A context is provided by the frame');
  return acting;
}

const RANK: Readonly<Record<MemberRole, number>> = { VIEWER: 0, MAINTAINER: 1, OWNER: 2 };
/**
 * The least role of the operations that the screens offer. The platform decides; this hides what it would refuse. The
 * compiler compares it with the table of the contract, which is not imported: it would bring its schemas along.
 */
const LEAST_ROLE = {
  'implementation:build': 'MAINTAINER',
  'implementation:change': 'OWNER',
  'implementation:create': 'MAINTAINER',
  'implementation:delete': 'OWNER',
  'implementation:import': 'MAINTAINER',
  'implementation-import:change': 'OWNER',
  'implementation-import:read': 'MAINTAINER',
  'implementation:transfer': 'OWNER',
  'implementation:push': 'MAINTAINER',
  'implementation-member:change': 'OWNER',
  'implementation-member:list': 'MAINTAINER',
  'organization:change': 'OWNER',
  'organization:delete': 'OWNER',
  'member:change': 'OWNER',
  'member:remove': 'OWNER',
  'invitation:list': 'OWNER',
  'invitation:create': 'OWNER',
  'invitation:delete': 'OWNER',
  'audit-log:read': 'OWNER',
  'cost:read': 'VIEWER',
  'revenue:read': 'OWNER',
  'provider-access-token:list': 'MAINTAINER',
  'limits:change': 'MAINTAINER',
  'listing:publish': 'OWNER',
  'listing:unpublish': 'OWNER',
  'workflow-instance:retry': 'MAINTAINER',
  'workflow-schedule:retry': 'MAINTAINER',
  'workflow-message:publish': 'MAINTAINER',
  'workflow-signal:broadcast': 'MAINTAINER',
  'service:automate': 'MAINTAINER',
  'service:transfer': 'OWNER',
  'application:transfer': 'OWNER',
  'service:create': 'MAINTAINER',
  'service:change': 'MAINTAINER',
  'service:publish': 'MAINTAINER',
  'service:retire': 'MAINTAINER',
  'service:delete': 'OWNER',
  'execution:start': 'MAINTAINER',
  'execution:cancel': 'MAINTAINER',
  'execution:delete': 'MAINTAINER',
  'storage:change': 'OWNER',
  'data-pool:transfer': 'OWNER',
  'application:create': 'MAINTAINER',
  'application:change': 'MAINTAINER',
  'application:delete': 'OWNER',
  'access-key:rotate': 'MAINTAINER',
  'access-key:reveal': 'MAINTAINER',
  'subscription:create': 'MAINTAINER',
  'subscription:delete': 'MAINTAINER',
  'share:create': 'MAINTAINER',
  'share:change': 'MAINTAINER',
  'share:delete': 'MAINTAINER',
  'data-pool:create': 'MAINTAINER',
  'data-pool:change': 'MAINTAINER',
  'data-pool:delete': 'OWNER',
  'data-pool:leave': 'OWNER',
  'data-pool-file:write': 'MAINTAINER',
  'data-pool-file:delete': 'MAINTAINER',
  'data-pool-member:change': 'OWNER',
  'data-pool-member:remove': 'OWNER',
} as const satisfies Partial<typeof operations>;

/** Returns whether a role is enough. A data pool has a role of its own for each person. */
export function isEnough(role: MemberRole, operation: keyof typeof LEAST_ROLE): boolean {
  return RANK[role] >= RANK[LEAST_ROLE[operation]];
}

/** Returns whether the person may do this in the present context. */
export function useMay(operation: keyof typeof LEAST_ROLE): boolean {
  return isEnough(useActing().role, operation);
}
