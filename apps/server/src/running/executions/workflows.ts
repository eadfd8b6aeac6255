import type { WorkflowMessageReceipt, WorkflowSignalReceipt } from '@kethub/contract';
import type { LogSource } from '../../foundation/logs/index.ts';
import type { ExecutionRow, Queries, StatementBatch } from '../../foundation/storage/index.ts';
import type { ExecutionInput } from '@kethub/service-api';
import type { InputParameters } from '@kethub/service-api';
import type { Origin } from './origin.ts';

/** Runs an operation in a transaction, or repeats the first answer to a repeated request. */
export type Write = <T>(act: (transaction: Queries) => Promise<T>) => Promise<T>;

/** Runs in the transaction that accepts an execution; throws to refuse it. */
export type BeforeCommit = (transaction: Queries) => Promise<void>;

/** An execution of a workflow that is being accepted. */
export interface AcceptedWorkflow {
  readonly row: ExecutionRow;
  readonly input: ExecutionInput;
  /** A timer, message or signal start event. */
  readonly startEvent: string | undefined;
  /** Number of workflows that have called one another up to this one. */
  readonly depth: number;
  /** Null when a worker makes the first step. */
  readonly firstStep: FirstStep | null;
}

/** The precomputed first step of an instance, which is accepted in the state after it. */
export interface FirstStep {
  /** The step is on disk: starts its jobs and timers. */
  begin(): void;
  /** The step was not accepted: frees what it has reserved. */
  release(): void;
}

/** The port through which executions of workflow services reach the workflow engine. */
export interface Workflows {
  /** The names that a version takes in its input and in `$secrets`. */
  parameters(serviceVersionId: string): Promise<InputParameters>;
  /** Validates an input. Throws invalid-request with the pointer of every error. */
  check(serviceVersionId: string, input: ExecutionInput): Promise<void>;
  /** Computes the first step of an instance, if this process can also start its jobs. */
  firstStep(accepted: AcceptedWorkflow): Promise<FirstStep | null>;
  /** Adds the instances to the statement batch that writes the executions. */
  accept(together: StatementBatch, accepted: readonly AcceptedWorkflow[]): void;
  /**
   * Cancels the instance of an execution in the same transaction. Returns the new result of the execution as JSON, or
   * null when it is no workflow.
   */
  cancel(transaction: Queries, executionId: string): Promise<{ readonly result: string } | null>;
  /**
   * Publishes a message of a subscriber, for instances that it has started and to start one. `text` is the body;
   * `beforeCommit` runs for each execution that the message starts; `write` runs the transaction. Throws
   * malformed-json, invalid-request, too-large, conflict.
   */
  publish(
    origin: Origin,
    text: Buffer,
    beforeCommit: BeforeCommit | null,
    write: Write,
  ): Promise<WorkflowMessageReceipt>;
  /**
   * Broadcasts a signal of a subscriber in the same way. Throws malformed-json, invalid-request, invalid-secrets,
   * too-large.
   */
  broadcast(
    origin: Origin,
    text: Buffer,
    beforeCommit: BeforeCommit | null,
    write: Write,
  ): Promise<WorkflowSignalReceipt>;
  /** Wakes the workers: there is something to do for an instance. */
  wake(): void;
  /** The journal of an instance; null when the execution is no workflow. */
  log(executionId: string): Promise<LogSource | null>;
}
