import type { FastifyRequest } from 'fastify';
import { Problem, type Answer } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { subscribersSpecification } from '../../catalog/services/index.ts';
import type { Subscriber } from '../../catalog/access/index.ts';

/**
 * Answers with the API specification of a service, with the URL at which the application calls it. Throws not-found.
 */
export async function readOpenApi(
  platform: Platform,
  { serviceId, serviceVersionId, address }: Subscriber,
  request: FastifyRequest,
): Promise<Answer> {
  const answer = await subscribersSpecification(platform, serviceId, serviceVersionId, address, request);
  if (answer) return answer;
  throw new Problem('not-found', 'This service runs elsewhere: its operations are those of its provider.');
}
