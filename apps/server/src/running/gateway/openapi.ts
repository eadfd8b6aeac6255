import type { FastifyRequest } from 'fastify';
import { Problem, type Answer } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { subscribersSpecification } from '../../catalog/services/index.ts';
import type { Subscriber } from './access.ts';

/** `GET openapi.json`: how the service is called, with the address at which the application calls it. */
export async function readOpenApi(
  platform: Platform,
  { serviceId, serviceVersionId, scope }: Subscriber,
  request: FastifyRequest,
): Promise<Answer> {
  const answer = await subscribersSpecification(platform, serviceId, serviceVersionId, scope.address, request);
  if (answer) return answer;
  throw new Problem('not-found', 'This service runs elsewhere: its operations are those of its provider.');
}
