import type { Readable } from 'node:stream';
import type {
  ExecutionRecord,
  ServiceExecution,
  WorkflowMessageReceipt,
  WorkflowSignalReceipt,
} from '@kethub/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  beginWait,
  once,
  Problem,
  type Answer,
  type IdempotencyKey,
  type Listing,
  type WantedWait,
} from '../../foundation/http/index.ts';
import { answerLog, isKept } from '../../foundation/logs/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { cancelExecution } from './cancel.ts';
import { deleteExecution } from './delete-execution.ts';
import { executionLinks } from '@kethub/service-api';
import { executionLog, type ExecutionLogs } from './log.ts';
import { presentStatus } from './present.ts';
import type { ExecutionFilter } from './filter.ts';
import { findExecution, pageOfExecutions, type ListedRow } from './queries.ts';
import { readInput } from './own-input.ts';
import { readRecord } from './record/index.ts';
import { describeResultFile, readResult, readResultFile, requireKept } from './result.ts';
import { executionNotFound, type ExecutionReader, type ExecutionScope } from './scope.ts';
import { CapacityCheck } from './schedule/index.ts';
import { createAccepting } from './accept.ts';
import type { Origin } from './origin.ts';
import { startExecution, type StartCall, type Starting } from './start.ts';
import { createStatusReader, type StatusReader } from './status-reader.ts';
import { readStatus, waitForEnd, type WaitedStatus, type Waiting } from './status.ts';
import { watchExecutions, type ExecutionWatch } from './watch.ts';
import type { BeforeCommit, Workflows } from './workflows.ts';

/** An execution that was started. */
export interface Started {
  readonly status: ServiceExecution;
  readonly address: string;
  /** Seconds of a wait that was granted; 0 for none. */
  readonly waited: number;
}

/** JSON that a caller has sent. */
interface SentText {
  readonly text: Buffer;
  readonly idempotencyKey: IdempotencyKey;
}

/** The operations on executions. The scope of a caller says which executions it may see. */
export class Executions {
  readonly #platform: Platform;
  readonly #logs: ExecutionLogs | null;
  readonly #watch: ExecutionWatch;
  readonly #statuses: StatusReader;
  readonly #waiting: Waiting;
  readonly #capacity: CapacityCheck;
  readonly #workflows: Workflows;
  readonly #starting: Starting;

  /** `logs` are those of the worker in this process; null where there is none. */
  constructor(platform: Platform, logs: ExecutionLogs | null, workflows: Workflows) {
    this.#platform = platform;
    this.#workflows = workflows;
    this.#starting = { platform, workflows, accepting: createAccepting(platform, workflows) };
    this.#logs = logs;
    this.#watch = watchExecutions(platform.database);
    this.#statuses = createStatusReader(platform);
    this.#waiting = { watch: this.#watch, statuses: this.#statuses };
    this.#capacity = new CapacityCheck(platform);
  }

  /**
   * Accepts an execution, and returns its status: at once, or when it has ended or the wait is over. `waited` are the
   * seconds of a wait that was granted.
   */
  async start(
    origin: Origin,
    { wait, ...call }: StartCall & { readonly wait: WantedWait },
    beforeCommit: BeforeCommit | null = null,
  ): Promise<Started> {
    if (origin.program.type === 'MANAGED') await this.#capacity.require(origin.serviceVersionId);
    const status = await startExecution(this.#starting, origin, call, beforeCommit);
    const { scope } = origin;
    const address = `${scope.address}/${status.id}`;
    const { seconds, end } = beginWait(this.#platform, origin.applicationId ?? origin.owner.id, wait);
    if (seconds === 0) return { status, address, waited: 0 };
    // Under an Idempotency-Key it may be the answer of an earlier request.
    const isNew = call.idempotencyKey === undefined;
    const ended = waitForEnd(this.#waiting, { scope, id: status.id, wait }, isNew);
    return { status: await ended.finally(end), address, waited: seconds };
  }

  /** Publishes a message of a subscriber. Throws not-found when the service is no workflow. */
  async publish(
    origin: Origin,
    { text, idempotencyKey }: SentText,
    beforeCommit: BeforeCommit | null = null,
  ): Promise<WorkflowMessageReceipt> {
    if (origin.program.type !== 'WORKFLOW')
      throw new Problem('not-found', 'This service is no workflow: it takes no messages.');
    const scope = `messages of ${origin.subscriptionId ?? ''}`;
    return this.#workflows.publish(origin, text, beforeCommit, (act) =>
      once(this.#platform, idempotencyKey, scope, text, act),
    );
  }

  /** Broadcasts a signal to the instances of a subscriber. Throws not-found when the service is no workflow. */
  async broadcast(
    origin: Origin,
    { text, idempotencyKey }: SentText,
    beforeCommit: BeforeCommit | null = null,
  ): Promise<WorkflowSignalReceipt> {
    if (origin.program.type !== 'WORKFLOW')
      throw new Problem('not-found', 'This service is no workflow: it receives no signals.');
    const scope = `signals of ${origin.subscriptionId ?? ''}`;
    return this.#workflows.broadcast(origin, text, beforeCommit, (act) =>
      once(this.#platform, idempotencyKey, scope, text, act),
    );
  }

  /** The executions, newest first. */
  list(scope: ExecutionScope, { tag }: Pick<ExecutionFilter, 'tag'>): Listing<ListedRow> {
    return {
      address: `${scope.address}/${tag === undefined ? '' : `?tag=${encodeURIComponent(tag)}`}`,
      load: (cursor, limit) => pageOfExecutions(this.#platform.database, scope, { tag }, cursor, limit),
      present: (row) => ({ ...presentStatus(row), _links: executionLinks(scope.address, row.id) }),
    };
  }

  /** The status. It waits for the status to change, if that is wanted. Throws execution-not-found. */
  status(reader: ExecutionReader, id: string, wait: WantedWait): Promise<WaitedStatus> {
    return readStatus(this.#platform, this.#waiting, reader, id, wait);
  }

  /** The result document, a long one as a stream. Throws execution-not-found, result-not-available, result-expired. */
  result(scope: ExecutionScope, id: string): Promise<string | Readable> {
    return readResult(this.#platform, scope, id);
  }

  /** The input without secrets. Throws execution-not-found, result-expired, input-not-kept. */
  input(scope: ExecutionScope, id: string): Promise<string | Readable> {
    return readInput(this.#platform, scope, id);
  }

  resultFile(scope: ExecutionScope, id: string, name: string, request: FastifyRequest): Promise<Answer> {
    return readResultFile(this.#platform, scope, id, name, request);
  }

  /** The headers of `resultFile` without the content. */
  resultFileHead(scope: ExecutionScope, id: string, name: string, request: FastifyRequest): Promise<Answer> {
    return describeResultFile(this.#platform, scope, id, name, request);
  }

  /** Throws execution-not-found. */
  record(scope: ExecutionScope, id: string): Promise<ExecutionRecord> {
    return readRecord(this.#platform, scope, id);
  }

  /** Throws execution-not-found, result-expired. */
  async log(
    { id: caller, scope }: ExecutionReader,
    id: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Answer> {
    const row = await findExecution(this.#platform.database, scope, id);
    if (!row) throw executionNotFound(scope, id);
    requireKept(row);
    const ofWorkflow = isKept(row) ? null : await this.#workflows.log(id);
    const source = ofWorkflow ?? executionLog(this.#platform, this.#logs, this.#watch, id);
    const key = `${ofWorkflow ? 'journal' : 'execution'} ${id}`;
    return answerLog(this.#platform, { key, source, caller }, request, reply);
  }

  /** Returns the status that the execution has then. Throws execution-not-found. */
  async cancel(scope: ExecutionScope, id: string): Promise<ServiceExecution> {
    return presentStatus(await cancelExecution(this.#platform, this.#workflows, scope, id));
  }

  /** Deletes an execution that has ended, with all that it left. Throws execution-not-found, execution-not-ended. */
  delete(scope: ExecutionScope, id: string, personId: string): Promise<void> {
    return deleteExecution(this.#platform, scope, id, personId);
  }

  close(): void {
    this.#watch.close();
    this.#statuses.close();
  }
}
