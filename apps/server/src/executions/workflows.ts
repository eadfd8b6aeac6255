import type { LogSource } from '../logs/index.ts';
import type { ExecutionRow, Queries } from '../storage/index.ts';
import type { ExecutionInput } from './input.ts';

/** An execution of a workflow that is being accepted. */
export interface AcceptedWorkflow {
  readonly row: ExecutionRow;
  readonly input: ExecutionInput;
  /** A timer or message start event. */
  readonly startEvent: string | undefined;
}

/** What executions of workflow services ask of whoever runs these, wherever that is. */
export interface Workflows {
  /** Judges the input before anything is accepted. Throws invalid-request with every place. */
  check(serviceVersionId: string, input: ExecutionInput, bytes: number): Promise<void>;
  /** Adds the instances, in the transaction that accepts the executions. */
  accept(transaction: Queries, accepted: readonly AcceptedWorkflow[]): Promise<void>;
  /**
   * Has the instance of an execution that is cancelled end what it runs, in the same transaction; returns the result that
   * the execution has from now on, as JSON. Null when it is no workflow.
   */
  cancel(transaction: Queries, executionId: string): Promise<{ readonly result: string } | null>;
  /** Something was added that a worker has to see to. */
  wake(): void;
  /** What an instance has done so far; null when it is none. */
  log(executionId: string): Promise<LogSource | null>;
}
