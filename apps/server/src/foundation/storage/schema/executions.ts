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

export interface WorkerRow {
  id: string;
  /** Name of its machine, for operators. */
  host: string;
  /** Of workers with the same one, each promises what the others leave of it. Null of one that has not said so. */
  machine: Generated<string | null>;
  /** Grows as long as the worker lives. */
  beats: number;
  seen_at: number;
  /** 1 when it can run containers. */
  containers: Generated<number>;
  /** JSON: the versions of Python that services can have there; null before it has reported them. */
  pythons: string | null;
  /** When it was given up; null since it was heard of again. */
  lost_at: number | null;
  /** What it can give to executions; null of one that has not said so. */
  cpus: number | null;
  memory_bytes: number | null;
  /** JSON: how many of which type; the type is empty where they are not told apart. */
  gpus: string | null;
}

/** The log of an execution or a build that is being written and that another process reads. */
export interface FollowedLogRow {
  log_id: string;
  /** How many of its bytes lie in log_copies. */
  copied: number;
  /** How often readers have asked for all that is there, and how many of these were answered by the writer. */
  asked: number;
  answered: number;
}

/** Whole lines of such a log: bytes `from_byte` to `next_byte`, exclusive. */
export interface LogCopyRow {
  log_id: string;
  from_byte: number;
  next_byte: number;
  text: string;
}

export interface ExecutionRow {
  id: string;
  /** Through which subscription of which application; null for a job, which a person has started. */
  subscription_id: string | null;
  application_id: string | null;
  /** For whom it was started, who sees all of it; null for one whose application was gone before this was kept. */
  owner_type: OwnerType | null;
  owner_id: string | null;
  /** Who started a job. */
  person_id: string | null;
  service_id: string | null;
  service_version_id: string;
  type: ExecutionType;
  status: ExecutionStatus;
  /** Header `traceparent`: the trace that it belongs to, and the place in it that it was accepted at. */
  trace_parent: string | null;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
  worker_id: string | null;
  cancel_requested_at: number | null;
  /** Raw JSON text of the input, or null when it lies in input_blob. */
  input: string | null;
  input_blob: string | null;
  sealed_secrets: string | null;
  /** JSON of the data pools that the input refers to, by parameter; null without any. */
  data_pools: string | null;
  result: string | null;
  result_blob: string | null;
  /** JSON of type, title, detail of what ended the execution without a result. */
  cause: string | null;
  /** NDJSON, or null when it lies in log_blob or has not ended. */
  log: string | null;
  log_blob: string | null;
  /** What it was promised of the machine of its worker; null before it is claimed. */
  cpus: number | null;
  memory_bytes: number | null;
  gpus: number | null;
  /** Of which type they are, where the worker tells types apart. */
  gpu_type: string | null;
  /** SHA-256 in hex of the input; null of one that was accepted before it was kept. */
  input_digest: string | null;
  input_bytes: number | null;
  /** JSON of what is kept for who wants to run it again; null before it has run. */
  record: string | null;
  /** Sizes of result and log where they lie in blobs, and of all result files; null where there are none. */
  result_bytes: number | null;
  log_bytes: number | null;
  file_bytes: number | null;
  /** How many seconds it may run; null before it is claimed. */
  run_seconds: number | null;
  /** When result, files and log were deleted because of their age. */
  expired_at: number | null;
  /** JSON list of the tags in the order that they were given; null without any. */
  tags: string | null;
}

/** One tag of an execution, with what decides who may see the execution: a list of one tag is read from its index. */
export interface ExecutionTagRow extends Pick<ExecutionRow, 'subscription_id' | 'owner_type' | 'owner_id'> {
  execution_id: string;
  tag: string;
}

/** What one owner has pending of one service version. Made by triggers; an empty one is taken away by who finds it. */
export interface QueueRow {
  owner_id: string;
  service_version_id: string;
  service_id: string | null;
  /** When something of this owner was last started; at first, since when it waits. */
  turn_at: number;
}

export interface ExecutionFileRow {
  execution_id: string;
  name: string;
  blob: string;
  bytes: number;
}
