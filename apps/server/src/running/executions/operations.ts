import type { ServiceExecution } from '@kethub/contract';
import type { Runtime } from '@kethub/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { beginWait, list, once, Problem, type Answer, type ListQuery } from '../../foundation/http/index.ts';
import { answerLog, isKept } from '../../foundation/logs/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { cancelExecution } from './cancel.ts';
import { deleteExecution } from './delete-execution.ts';
import { executionLinks } from './links.ts';
import { executionLog } from './log.ts';
import { presentStatus } from './present.ts';
import { findExecution, pageOfExecutions, type ExecutionFilter } from './queries.ts';
import { readRecord } from './record/index.ts';
import { describeResultFile, readResult, readResultFile, requireKept } from './result.ts';
import { notThere, type ExecutionScope } from './scope.ts';
import { Fitting } from './schedule/index.ts';
import { createAccepting } from './accept.ts';
import type { Origin } from './origin.ts';
import { startExecution, type Starting } from './start.ts';
import { createStatusReader, type StatusReader } from './status-reader.ts';
import { readStatus, waitForEnd } from './status.ts';
import { watchExecutions, type ExecutionWatch } from './watch.ts';
import type { BeforeCommit, Workflows } from './workflows.ts';

/** The operations on executions, the same at every door; the scope says what the one who asks may see. */
export class Executions {
  readonly #platform: Platform;
  readonly #runtime: Runtime | null;
  readonly #watch: ExecutionWatch;
  readonly #statuses: StatusReader;
  readonly #fitting: Fitting;
  readonly #workflows: Workflows;
  readonly #starting: Starting;

  /** `runtime` is null where no executions run in this process. */
  constructor(platform: Platform, runtime: Runtime | null, workflows: Workflows) {
    this.#platform = platform;
    this.#workflows = workflows;
    this.#starting = { platform, workflows, accepting: createAccepting(platform, workflows) };
    this.#runtime = runtime;
    this.#watch = watchExecutions(platform.database);
    this.#statuses = createStatusReader(platform);
    this.#fitting = new Fitting(platform);
  }

  /**
   * Accepts an execution. 201 with its address; with `Prefer: wait=N` answered when it ended or N seconds passed. The body
   * is the input, as text.
   */
  async start(origin: Origin, request: FastifyRequest, beforeCommit: BeforeCommit | null = null): Promise<Answer> {
    const text = jsonText(request, 'the input');
    if (origin.program.type === 'MANAGED') await this.#fitting.require(origin.serviceVersionId);
    const answer = await startExecution(this.#starting, origin, text, request, beforeCommit);
    const { seconds, end } = beginWait(this.#platform, origin.applicationId ?? origin.owner.id, request);
    if (seconds === 0) return answer;
    const { id } = answer.body as ServiceExecution;
    // Under an Idempotency-Key it may be the answer of an earlier request.
    const accepted = request.headers['idempotency-key'] === undefined;
    const ended = waitForEnd(this.#watch, this.#statuses, origin.scope, id, seconds, request, accepted);
    const body = await ended.finally(end);
    return { ...answer, body, headers: { ...answer.headers, 'preference-applied': `wait=${seconds}` } };
  }

  /** A message for a workflow. Throws not-found where the service is none. */
  async publish(origin: Origin, request: FastifyRequest, beforeCommit: BeforeCommit | null = null): Promise<Answer> {
    if (origin.program.type !== 'WORKFLOW')
      throw new Problem('not-found', 'This service is no workflow: it takes no messages.');
    const text = jsonText(request, 'the message');
    const scope = `messages of ${origin.subscriptionId ?? ''}`;
    return this.#workflows.publish(origin, text, beforeCommit, (act) =>
      once(this.#platform, request, scope, text, act),
    );
  }

  /** A signal for instances of a workflow. Throws not-found where the service is none. */
  async broadcast(origin: Origin, request: FastifyRequest, beforeCommit: BeforeCommit | null = null): Promise<Answer> {
    if (origin.program.type !== 'WORKFLOW')
      throw new Problem('not-found', 'This service is no workflow: it receives no signals.');
    const text = jsonText(request, 'the signal');
    const scope = `signals of ${origin.subscriptionId ?? ''}`;
    return this.#workflows.broadcast(origin, text, beforeCommit, (act) =>
      once(this.#platform, request, scope, text, act),
    );
  }

  /** Newest first. */
  list(scope: ExecutionScope, { tag, ...query }: ListQuery & Pick<ExecutionFilter, 'tag'>): Promise<Answer> {
    return list(query, {
      address: `${scope.address}/${tag === undefined ? '' : `?tag=${encodeURIComponent(tag)}`}`,
      load: (cursor, limit) => pageOfExecutions(this.#platform.database, scope, { tag }, cursor, limit),
      present: (row) => ({ ...presentStatus(row), _links: executionLinks(scope.address, row.id) }),
    });
  }

  /** The status object; `Prefer: wait=N` waits for it to change. `caller` names the person or application. */
  status(scope: ExecutionScope, id: string, caller: string, request: FastifyRequest): Promise<Answer> {
    return readStatus(this.#platform, caller, this.#watch, this.#statuses, scope, id, request);
  }

  result(scope: ExecutionScope, id: string): Promise<Answer> {
    return readResult(this.#platform, scope, id);
  }

  resultFile(scope: ExecutionScope, id: string, name: string, request: FastifyRequest): Promise<Answer> {
    return readResultFile(this.#platform, scope, id, name, request);
  }

  /** Size, type and mark of a result file, without its content. */
  resultFileHead(scope: ExecutionScope, id: string, name: string, request: FastifyRequest): Promise<Answer> {
    return describeResultFile(this.#platform, scope, id, name, request);
  }

  record(scope: ExecutionScope, id: string): Promise<Answer> {
    return readRecord(this.#platform, scope, id);
  }

  /** `caller` names the person or application that reads. */
  async log(
    scope: ExecutionScope,
    id: string,
    caller: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Answer> {
    const row = await findExecution(this.#platform.database, scope, id);
    if (!row) throw notThere(scope, id);
    requireKept(row);
    const ofWorkflow = isKept(row) ? null : await this.#workflows.log(id);
    const source = ofWorkflow ?? executionLog(this.#platform, this.#runtime, this.#watch, id);
    const key = `${ofWorkflow ? 'journal' : 'execution'} ${id}`;
    return answerLog(this.#platform, { key, source, caller }, request, reply);
  }

  async cancel(scope: ExecutionScope, id: string): Promise<Answer> {
    return { status: 200, body: presentStatus(await cancelExecution(this.#platform, this.#workflows, scope, id)) };
  }

  /** Deletes an execution that has ended, with all that it left. */
  async delete(scope: ExecutionScope, id: string, personId: string): Promise<Answer> {
    await deleteExecution(this.#platform, scope, id, personId);
    return { status: 204 };
  }

  close(): void {
    this.#watch.close();
    this.#statuses.close();
  }
}

/** A JSON body as the text it came as. Throws unsupported-media-type for any other. */
function jsonText({ body }: FastifyRequest, what: string): Buffer {
  if (Buffer.isBuffer(body)) return body;
  throw new Problem('unsupported-media-type', `Send ${what} as a JSON object with Content-Type: application/json.`);
}
