import type { Answer } from '../../foundation/http/index.ts';
import type { LogSource } from '../../foundation/logs/index.ts';
import type { ExecutionRow, Queries, StatementBatch } from '../../foundation/storage/index.ts';
import type { ExecutionInput } from './input.ts';
import type { InputParameters } from '../../catalog/services/index.ts';
import type { Origin } from './origin.ts';

/** Runs in the transaction that accepts an execution; throws to refuse it. */
export type BeforeCommit = (transaction: Queries) => Promise<void>;

/** An execution of a workflow that is being accepted. */
export interface AcceptedWorkflow {
  readonly row: ExecutionRow;
  readonly input: ExecutionInput;
  /** A timer, message or signal start event. */
  readonly startEvent: string | undefined;
  /** How many workflows have called one another to get here. */
  readonly depth: number;
  /** Null when a worker begins with it. */
  readonly firstStep: FirstStep | null;
}

/** What an instance has become with its first step, which was computed beforehand: it is accepted as that. */
export interface FirstStep {
  /** It is on disk: what it asks for is begun with. */
  begin(): void;
  /** Nothing was accepted. */
  release(): void;
}

/** What executions of workflow services ask of whoever runs these, wherever that is. */
export interface Workflows {
  /** What a version takes in its input and in `$secrets`. */
  parameters(serviceVersionId: string): Promise<InputParameters>;
  /** Judges the input before anything is accepted. Throws invalid-request with every place. */
  check(serviceVersionId: string, input: ExecutionInput): Promise<void>;
  /** Computes the first step of an instance, where this process can also begin with what it asks for. */
  firstStep(accepted: AcceptedWorkflow): Promise<FirstStep | null>;
  /** Adds the instances to what is written with the executions. */
  accept(together: StatementBatch, accepted: readonly AcceptedWorkflow[]): void;
  /**
   * Has the instance of an execution that is cancelled end what it runs, in the same transaction; returns the result that
   * the execution has from now on, as JSON. Null when it is no workflow.
   */
  cancel(transaction: Queries, executionId: string): Promise<{ readonly result: string } | null>;
  /**
   * Publishes a message of a subscriber, for instances that it has started and to start one. `text` is the body;
   * `beforeCommit` runs for each execution that the message starts; `write` runs the transaction. Throws malformed-json,
   * invalid-request, too-large, conflict.
   */
  publish(
    origin: Origin,
    text: Buffer,
    beforeCommit: BeforeCommit | null,
    write: (act: (transaction: Queries) => Promise<Answer>) => Promise<Answer>,
  ): Promise<Answer>;
  /**
   * Broadcasts a signal of a subscriber, in the same way. Throws malformed-json, invalid-request, invalid-secrets, too-large.
   */
  broadcast(
    origin: Origin,
    text: Buffer,
    beforeCommit: BeforeCommit | null,
    write: (act: (transaction: Queries) => Promise<Answer>) => Promise<Answer>,
  ): Promise<Answer>;
  /** Something was added that a worker has to see to. */
  wake(): void;
  /** What an instance has done so far; null when it is none. */
  log(executionId: string): Promise<LogSource | null>;
}
