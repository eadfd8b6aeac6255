import type { ExecutionStatus, ExecutionType } from '@kethub/contract';
import type { Generated } from 'kysely';
import type { OwnerType } from './owner.ts';

export interface ExecutionTables {
  workers: WorkerRow;
  followed_logs: FollowedLogRow;
  log_copies: LogCopyRow;
  executions: ExecutionRow;
  queues: QueueRow;
  execution_files: ExecutionFileRow;
  execution_tags: ExecutionTagRow;
}

interface WorkerRow {
  id: string;
  /** Name of its machine, for operators. */
  host: string;
  /** Identifies the machine, whose resources its workers share. Null before the worker has reported it. */
  machine: Generated<string | null>;
  /** Counter of heartbeats. */
  beats: number;
  seen_at: number;
  /** 1 if the worker can run containers. */
  containers: Generated<number>;
  /** JSON list of the versions of Python that it offers; null before it has reported them. */
  pythons: string | null;
  /** Time at which it was declared lost; null again after the next heartbeat. */
  lost_at: number | null;
  /** Resources for executions; null before it has reported them. */
  cpus: number | null;
  memory_bytes: number | null;
  /** JSON: number of GPUs by type; the type is empty if types are not distinguished. */
  gpus: string | null;
}

/** An unfinished log of an execution or a build that another process than its writer reads. */
interface FollowedLogRow {
  log_id: string;
  /** Number of its bytes in log_copies. */
  copied: number;
  /** Number of the last request of a reader for new lines, and of the last one that the writer has answered. */
  asked: number;
  answered: number;
}

/** Complete lines of such a log: the bytes from `from_byte` to before `next_byte`. */
interface LogCopyRow {
  log_id: string;
  from_byte: number;
  next_byte: number;
  text: string;
}

export interface ExecutionRow {
  id: string;
  /** The subscription and application that started it; null for a job, which a person has started. */
  subscription_id: string | null;
  application_id: string | null;
  /** The owner for whom it runs; null in an old row whose application was deleted before owners were recorded. */
  owner_type: OwnerType | null;
  owner_id: string | null;
  /** The person who started a job. */
  person_id: string | null;
  service_id: string | null;
  service_version_id: string;
  type: ExecutionType;
  status: ExecutionStatus;
  /** `traceparent` of the span in which it was accepted. */
  trace_parent: string | null;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
  worker_id: string | null;
  cancel_requested_at: number | null;
  /** Raw JSON text of the input, or null if it is in input_blob. */
  input: string | null;
  input_blob: string | null;
  sealed_secrets: string | null;
  /** JSON of the data pools that the input refers to, by parameter; null without any. */
  data_pools: string | null;
  result: string | null;
  result_blob: string | null;
  /** JSON with type, title and detail of the reason why it ended without a result. */
  cause: string | null;
  /** NDJSON, or null if it is in log_blob or has not ended. */
  log: string | null;
  log_blob: string | null;
  /** Resources promised on the worker's machine; null before it is claimed. */
  cpus: number | null;
  memory_bytes: number | null;
  gpus: number | null;
  /** Type of the GPUs, if the worker distinguishes types. */
  gpu_type: string | null;
  /** SHA-256 of the input in hex; null in a row that is older than this column. */
  input_digest: string | null;
  input_bytes: number | null;
  /** JSON of the record from which it can be reproduced; null before it has run. */
  record: string | null;
  /** Sizes of result and log if they are blobs, and of all result files; null for none. */
  result_bytes: number | null;
  log_bytes: number | null;
  file_bytes: number | null;
  /** Limit of its run time in seconds; null before it is claimed. */
  run_seconds: number | null;
  /** Time at which result, files and log were deleted because of their age. */
  expired_at: number | null;
  /** JSON list of the tags in their order; null for none. */
  tags: string | null;
  /** The execution of the workflow whose task started it; null for any other. */
  workflow_id: string | null;
  /** The instance and the element of this task, as `<instance id> <element id>`; null as well in older rows. */
  workflow_task: string | null;
}

/** A tag of an execution, with the columns that decide who may see it: an index then answers a list by tag. */
interface ExecutionTagRow extends Pick<ExecutionRow, 'subscription_id' | 'owner_type' | 'owner_id'> {
  execution_id: string;
  tag: string;
}

/**
 * A queue of pending executions, by owner and service version. Triggers create it; whoever finds it empty removes it.
 */
interface QueueRow {
  owner_id: string;
  service_version_id: string;
  service_id: string | null;
  /** Time of the owner's last start; at first, the time since which it waits. */
  turn_at: number;
}

export interface ExecutionFileRow {
  execution_id: string;
  name: string;
  blob: string;
  bytes: number;
}
