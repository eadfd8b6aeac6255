import type { FastifyRequest } from 'fastify';
import type { Executions } from '../executions/index.ts';
import type { Answer } from '../../foundation/http/index.ts';
import { lockOwnerShared } from '../../people/organizations/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { requireRunnable } from './runnable-version.ts';
import { jobScope } from './scope.ts';

/** Starts an execution as a person, without an application. The body of the request is the input. */
export async function startJob(
  platform: Platform,
  executions: Executions,
  context: Context,
  serviceId: string,
  version: string | null,
  request: FastifyRequest,
): Promise<Answer> {
  const { id, program } = await requireRunnable(platform, context, serviceId, version);
  const origin = {
    scope: jobScope(platform, context),
    subscriptionId: null,
    applicationId: null,
    owner: { type: context.type, id: context.id },
    personId: context.personId,
    serviceId,
    serviceVersionId: id,
    program,
  };
  return executions.start(origin, request, (transaction) => lockOwnerShared(platform, transaction, context));
}
