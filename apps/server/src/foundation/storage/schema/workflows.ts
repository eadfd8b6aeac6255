import type { Generated } from 'kysely';

export interface WorkflowTables {
  workflow_versions: WorkflowVersionRow;
  workflow_instances: WorkflowInstanceRow;
  workflow_events: WorkflowEventRow;
  workflow_journal: WorkflowJournalRow;
  workflow_state_parts: WorkflowStatePartRow;
  workflow_jobs: WorkflowJobRow;
  workflow_timers: WorkflowTimerRow;
  workflow_subscriptions: WorkflowSubscriptionRow;
  workflow_messages: WorkflowMessageRow;
  workflow_signal_subscriptions: WorkflowSignalSubscriptionRow;
  workflow_signal_starts: WorkflowSignalStartRow;
  workflow_signals: WorkflowSignalRow;
  workflow_schedules: WorkflowScheduleRow;
  workflow_start_keys: WorkflowStartKeyRow;
  workflow_incidents: WorkflowIncidentRow;
}

/** Facts about a version of a workflow service, in addition to its file. */
export interface WorkflowVersionRow {
  service_version_id: string;
  /** The application as which its tasks call services, unless they name another. */
  application_id: string | null;
  /** Null, as are the requirements, while the file has problems. */
  process_id: string | null;
  /** JSON of the `Requirements` of packages/workflow. */
  requirements: string | null;
  /** JSON of the problems of the file. */
  problems: string;
}

/** An instance: an execution of a workflow, or a child that a call activity has started. */
export interface WorkflowInstanceRow {
  id: string;
  /** Id of the instance at the root, which is the id of the execution. */
  execution_id: string;
  /** The owner for whom it runs, as `USER` or `ORGANIZATION` and id. Instances are advanced round-robin over owners. */
  owner: string;
  parent_id: string | null;
  /** Number of the child in its parent. */
  parent_child: number | null;
  service_version_id: string;
  /** Id of the process in the file; null for the one that the file starts with. */
  process_id: string | null;
  /** Number of nested calls from the instance at the root to this one. */
  depth: number;
  phase: 'NEW' | 'RUNNING' | 'COMPLETED' | 'CANCELLED' | 'ERROR';
  /** Grows with every step. A state is written only by a process that has read the previous one. */
  revision: number;
  incidents: number;
  /** Open incidents of what its call activities have started, and of what that calls. */
  child_incidents: number;
  /** JSON; null until the first step. */
  state: string | null;
  /** Length of the state, so that it is known before the state is read. */
  bytes: number;
  /** Secrets of the instance at the root; erased when it ends. */
  sealed_secrets: string | null;
  created_at: number;
  ended_at: number | null;
}

/** An event that no step has processed yet. */
export interface WorkflowEventRow {
  id: string;
  instance_id: string;
  /** Key of an event that happens once: a second row with the same key is refused. */
  dedupe_key: string | null;
  event: string;
  bytes: number;
  /** Owner of the instance. */
  owner: string;
}

interface WorkflowStatePartRow {
  instance_id: string;
  /** Name of the part, given by packages/workflow. */
  part: string;
  /** JSON. */
  text: string;
}

export interface WorkflowJournalRow {
  instance_id: string;
  seq: number;
  at: number;
  type: string;
  entry: string;
}

/** A job: a service to call, written with the step that creates it. Its id is the id of the execution. */
export interface WorkflowJobRow {
  id: string;
  instance_id: string;
  /** Owner of the instance. */
  owner: string;
  job: number;
  element_id: string;
  /**
   * ENDED: the execution has ended, and the instance has not received its result. CANCELLING: the execution is to be
   * cancelled. CALLING: the start request is on its way to a provider's service. WITHDRAWN: like CALLING, and cancelled
   * meanwhile. REMOTE: it runs at a provider's service.
   */
  state: 'OPEN' | 'STARTED' | 'ENDED' | 'CANCELLING' | 'CALLING' | 'WITHDRAWN' | 'REMOTE';
  /** JSON that names the service to call. */
  service: string;
  /** JSON; null after it was sent. */
  input: string | null;
  /** The application as which the service was called. */
  application_id: string | null;
  /** Time at which it is processed next. */
  due: number;
  attempts: number;
  /** End of the lease of the process that works on it. */
  locked_until: number;
  /** Number of leases so far. Only the process with the last lease may write the row. */
  lease: number;
  /** In CALLING and WITHDRAWN, the process that sends the start request, as `<worker id>/<process id>`. */
  caller: string | null;
  /** In REMOTE, the version that was called. */
  service_version_id: string | null;
  /** Address of the called service, without a slash at the end; in REMOTE, the path of the execution there. */
  address: string | null;
}

export interface WorkflowTimerRow {
  instance_id: string;
  timer: number;
  element_id: string;
  /** Time at which it fires; far in the future if it is stopped. */
  due: number;
  /** Number of failed attempts to fire it. */
  attempts: number;
}

export interface WorkflowSubscriptionRow {
  instance_id: string;
  subscription: number;
  element_id: string;
  service_id: string;
  message_name: string;
  correlation_key: string;
}

/** A published message that waits for a subscription. */
export interface WorkflowMessageRow {
  id: string;
  service_id: string;
  /** Subscription through which it was published, whose instances alone it can reach. Null: published by the owner. */
  subscription_id: string | null;
  name: string;
  correlation_key: string;
  variables: string;
  message_id: string | null;
  created_at: number;
  expires_at: number;
  /** Time of delivery, after which the row stays because of its id; null while it waits. */
  correlated_at: number | null;
  /** Owner of the instance that has thrown it, until it is published; null if it is published or was sent. */
  owner: string | null;
  /** Number of instances that have started one another by messages so far; 0 if it was sent by a caller. */
  depth: number;
}

/** An event of an instance that waits for a signal. */
export interface WorkflowSignalSubscriptionRow {
  /**
   * Assigned by the database, ascending and never reused. A signal reaches subscriptions that existed at its
   * broadcast.
   */
  position: Generated<number>;
  instance_id: string;
  subscription: number;
  element_id: string;
  service_id: string;
  signal_name: string;
  /** Owner of the instance and, if an application has started it, the subscription. */
  runs_for: string;
}

/** A signal start event of the last deployed version of a service. */
interface WorkflowSignalStartRow {
  service_version_id: string;
  element_id: string;
  service_id: string;
  signal_name: string;
}

/** A broadcast signal that has not reached all subscriptions yet. It is delivered service by service. */
export interface WorkflowSignalRow {
  id: string;
  /** The owner for whom it was broadcast, as `USER` or `ORGANIZATION` and id. Delivery is round-robin over owners. */
  owner: string;
  /**
   * Null: it reaches all services of the owner. Otherwise it reaches only instances of one service that run for the
   * same owner and subscription, and starts no instance.
   */
  runs_for: string | null;
  /** Person who has broadcast it, and starts its instances; null if an instance or an application has. */
  person_id: string | null;
  name: string;
  variables: string;
  /** The instance that has thrown it, and its number there: subscriptions with a higher number were opened after it. */
  instance_id: string | null;
  signal: number | null;
  /** Number of instances that have started one another by messages and signals so far; 0 if it was sent by a caller. */
  depth: number;
  /** Position of the last subscription that existed at its broadcast. */
  last_position: number;
  /** Progress: the current service, and its last subscription that has received the signal. */
  service_id: string;
  position: number;
  created_at: number;
}

/** An open incident of an instance. It is written with the step that opens it, and removed with the one that closes it. */
export interface WorkflowIncidentRow {
  /** Ascending with time. */
  id: string;
  instance_id: string;
  /** Number of the incident within its instance. */
  incident: number;
  service_version_id: string;
  element_id: string;
  /** Key of the element instance, the scope of its variables. */
  element: number;
  type: string;
  error_code: string;
  /** JSON of the error, without the answer of a service. */
  error: string;
  at: number;
}

/** The last instance that a message has started for a correlation key. While it is active, no other is started. */
interface WorkflowStartKeyRow {
  start_key: string;
  instance_id: string;
}

/** Next time of a timer start event of a published version. */
export interface WorkflowScheduleRow {
  service_version_id: string;
  element_id: string;
  /** Time at which it fires; 0 if not computed yet, far in the future if it is stopped. */
  due: number;
  /** JSON from which the next time is computed. */
  timer: string | null;
  /** Number of consecutive failed attempts to start an instance. */
  attempts: number;
  /** Reason of the last failure, for the owner of the service; null after a success. */
  failure: string | null;
  /** Time at which it was stopped because it failed too often. */
  stopped_at: number | null;
}
