import type { ExecutionStatus } from '@kethub/contract';
import type { ExecutionEnd, Outcome } from '@kethub/runtime';
import type { Platform } from '../../foundation/platform.ts';
import type { ExecutionRow } from '../../foundation/storage/index.ts';
import { isSampled, parseTraceparent } from '../../foundation/telemetry/index.ts';

const statuses: Readonly<Record<Outcome, ExecutionStatus>> = {
  SUCCEEDED: 'SUCCEEDED',
  FAILED: 'FAILED',
  CANCELLED: 'CANCELLED',
  LOST: 'UNKNOWN',
  NOT_STARTED: 'PENDING',
};

type Observed = Pick<ExecutionRow, 'created_at' | 'started_at' | 'trace_parent'>;

/** Records metrics and traces of the executions of a worker: how long they waited, ran, and took to be collected. */
export class ExecutionObserver {
  readonly #platform: Platform;
  readonly #running = new Map<string, Observed>();

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Claimed by this worker; `now` is false when an earlier process has claimed it. */
  claimed({ id, created_at, started_at, trace_parent }: ExecutionRow, now: boolean): void {
    const { metrics, tracing } = this.#platform.telemetry;
    if (!metrics && !tracing) return;
    this.#running.set(id, { created_at, started_at, trace_parent });
    if (now && started_at !== null) metrics?.claimed(started_at - created_at);
  }

  /** Its end is in the database. */
  ended(end: ExecutionEnd): void {
    const status = statuses[end.outcome];
    const known = this.#running.get(end.executionId);
    this.#running.delete(end.executionId);
    // It is PENDING again and will be claimed once more.
    if (status === 'PENDING') return;
    this.#platform.telemetry.metrics?.ended(status, end.endedAt - end.startedAt);
    if (known) this.#trace(end.executionId, known, status, end);
  }

  /** Called when it could not be started. */
  failed(id: string): void {
    const known = this.#running.get(id);
    this.#running.delete(id);
    this.#platform.telemetry.metrics?.ended('FAILED', null);
    if (known) this.#trace(id, known, 'FAILED', null);
  }

  #trace(id: string, known: Observed, status: ExecutionStatus, end: ExecutionEnd | null): void {
    const { tracing } = this.#platform.telemetry;
    const parent = parseTraceparent(known.trace_parent ?? undefined);
    if (!tracing || !parent || !isSampled(parent) || known.started_at === null) return;
    const attributes = { 'kethub.execution.id': id };
    const failed = status === 'FAILED' || status === 'UNKNOWN';
    tracing.record('execution claim', parent, known.created_at, known.started_at, attributes, false);
    if (!end) return;
    const ran = { ...attributes, 'kethub.execution.status': status };
    tracing.record('execution run', parent, end.startedAt, end.endedAt, ran, failed);
    tracing.record('execution finish', parent, end.endedAt, this.#platform.now(), attributes, false);
  }
}
