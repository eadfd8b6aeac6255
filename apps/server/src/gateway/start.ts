import type { ServiceExecution } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { startExecution, type ExecutionWatch, type StatusReader } from '../executions/index.ts';
import { preferredWait, Problem, type Answer } from '../http/index.ts';
import type { Platform } from '../platform.ts';
import type { Subscriber } from './access.ts';
import { waitForEnd } from './status.ts';

/** `POST /`: accepts an execution. 201 with its address; with `Prefer: wait=N` answered when it ended or N seconds passed. */
export async function start(
  platform: Platform,
  watch: ExecutionWatch,
  statuses: StatusReader,
  caller: Subscriber,
  request: FastifyRequest,
): Promise<Answer> {
  if (typeof request.body !== 'string') {
    throw new Problem('unsupported-media-type', 'Send the input as a JSON object with Content-Type: application/json.');
  }
  const present = (execution: ServiceExecution): Answer => ({
    status: 201,
    body: execution,
    headers: { location: `${caller.endpoint}/${execution.id}` },
  });
  const answer = await startExecution(platform, caller, request.body, request, present);
  const seconds = preferredWait(request.headers.prefer);
  if (seconds === 0) return answer;
  const { id } = answer.body as ServiceExecution;
  const body = await waitForEnd(watch, statuses, caller.subscriptionId, id, seconds, request);
  return { ...answer, body, headers: { ...answer.headers, 'preference-applied': `wait=${seconds}` } };
}
