import type { ExecutionStatus, ProblemCode } from '@kethub/contract';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import { RequestDurations } from './request-durations.ts';

/** Metrics of this process. Labels have few, known values: none comes from a caller or names one. */
export class Metrics {
  readonly registry = new Registry();
  readonly requests: RequestDurations;
  readonly #refused: Counter<'interface' | 'problem'>;
  readonly #accepted: Counter;
  readonly #ended: Counter<'status'>;
  readonly #wait: Histogram;
  readonly #run: Histogram<'status'>;
  readonly #signIns: Counter;
  readonly #workflowRetries: Counter<'what'>;

  constructor() {
    const registers = [this.registry];
    this.requests = new RequestDurations(registers);
    this.#refused = new Counter({
      name: 'kethub_requests_refused_total',
      help: 'Requests answered with a problem, by its code: `too-many-requests` and `quota-exceeded` are those that a limit has refused',
      labelNames: ['interface', 'problem'],
      registers,
    });
    this.#accepted = new Counter({
      name: 'kethub_executions_accepted_total',
      help: 'Executions that were accepted',
      registers,
    });
    this.#ended = new Counter({
      name: 'kethub_executions_ended_total',
      help: 'Executions that have ended, by their final status',
      labelNames: ['status'],
      registers,
    });
    this.#wait = new Histogram({
      name: 'kethub_execution_wait_seconds',
      help: 'Time that executions waited as PENDING until a worker took them',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 30, 60, 300, 1_800, 7_200],
      registers,
    });
    this.#run = new Histogram({
      name: 'kethub_execution_run_seconds',
      help: 'Time that executions ran, by their final status',
      labelNames: ['status'],
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400],
      registers,
    });
    this.#signIns = new Counter({
      name: 'kethub_sign_in_failures_total',
      help: 'Attempts to sign in with a wrong password, and those that were not tried because there had been too many',
      registers,
    });
    this.#workflowRetries = new Counter({
      name: 'kethub_workflow_retries_total',
      help: 'Repeated work of workflows. `batch`: instances that could not be written. `conflict`: with another process. `job`: of a task. `answer`: of a service elsewhere, to be written. `schedule`, `message`, `signal` and `timer`: a start, or an event. `round`: all work, in an outage',
      labelNames: ['what'],
      registers,
    });
    collectDefaultMetrics({ register: this.registry });
  }

  refused(face: string, problem: ProblemCode): void {
    this.#refused.inc({ interface: face, problem });
  }

  accepted(): void {
    this.#accepted.inc();
  }

  /** Records that a worker has claimed an execution after this wait. */
  claimed(waitMs: number): void {
    this.#wait.observe(waitMs / 1000);
  }

  /** `runMs` is null for an execution that never ran. */
  ended(status: ExecutionStatus, runMs: number | null): void {
    this.#ended.inc({ status });
    if (runMs !== null) this.#run.observe({ status }, runMs / 1000);
  }

  workflowRetried(
    what: 'batch' | 'conflict' | 'job' | 'answer' | 'schedule' | 'message' | 'signal' | 'timer' | 'round',
  ): void {
    this.#workflowRetries.inc({ what });
  }

  signInFailed(): void {
    this.#signIns.inc();
  }
}
