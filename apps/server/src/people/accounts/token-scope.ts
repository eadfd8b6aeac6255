import { isOperation, type AccessTokenScope } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../../foundation/http/index.ts';
import type { PlatformAccess } from '../../foundation/platform.ts';
import type { AccessTokenRow } from '../../foundation/storage/index.ts';

/** The id of the service whose version an execution runs. Null for an unknown execution, or a deleted service. */
export type ServiceOfExecution = (executionId: string) => Promise<string | null>;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The limits of a personal access token; null for one that may do everything that its user may. */
export function scopeOf({ scope }: AccessTokenRow): AccessTokenScope | null {
  return scope === null ? null : (JSON.parse(scope) as AccessTokenScope);
}

export function outsideScope(detail: string): Problem {
  return new Problem('outside-token-scope', detail);
}

/**
 * Requires that a request lies within the limits of its token. The role of the user is a further limit. Only operations
 * on resources lie within a scope, and the user's own profile, so that a program can show as whom it acts.
 */
export async function requireWithinScope(
  serviceOfExecution: ServiceOfExecution,
  scope: AccessTokenScope,
  access: PlatformAccess,
  request: FastifyRequest,
): Promise<void> {
  if (isProfile(access, request)) return;
  if (!isOperation(access)) throw outsideScope('A token with a scope is for operations on resources only.');
  if (!scope.operations.includes(access))
    throw outsideScope(`This takes the operation ${access}. The token has ${scope.operations.join(', ')}.`);
  requireOwner(scope, request);
  if (scope.serviceIds) await requireService(serviceOfExecution, scope.serviceIds, request);
}

function isProfile(access: PlatformAccess, request: FastifyRequest): boolean {
  return access === 'APPROVED' && request.method === 'GET' && routeOf(request).endsWith('/me');
}

function requireOwner({ organizationId = null }: AccessTokenScope, request: FastifyRequest): void {
  const { organizationId: named } = request.params as { organizationId?: string };
  const asked = named ?? request.headers['x-organizationid'] ?? null;
  if (asked === organizationId) return;
  throw outsideScope(
    organizationId === null
      ? 'The token acts for its user personally. Leave X-OrganizationId out.'
      : `The token acts for the organization ${organizationId}. Name it in X-OrganizationId.`,
  );
}

/**
 * Requires that the path names one of the services, or an execution of one. The list of services is allowed because it
 * shows these only, and the list of executions where the query names one of them.
 */
async function requireService(
  serviceOfExecution: ServiceOfExecution,
  serviceIds: readonly string[],
  request: FastifyRequest,
): Promise<void> {
  const { serviceId, executionId } = request.params as { serviceId?: string; executionId?: string };
  const isIncluded = (id: unknown): boolean => serviceIds.some((one) => one === id);
  if (serviceId !== undefined ? isIncluded(serviceId) : await isOfExecution()) return;
  throw outsideScope(
    `The token is limited to the services ${serviceIds.join(', ')}, and this request to none of them.`,
  );

  async function isOfExecution(): Promise<boolean> {
    if (executionId !== undefined) return UUID.test(executionId) && isIncluded(await serviceOfExecution(executionId));
    const route = request.method === 'GET' ? routeOf(request) : '';
    if (route.endsWith('/service-executions')) return isIncluded((request.query as { serviceId?: unknown }).serviceId);
    return route.endsWith('/services') && !route.endsWith('/marketplace/services');
  }
}

/** The path of the endpoint, with the names of its parameters. */
function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? '';
}
