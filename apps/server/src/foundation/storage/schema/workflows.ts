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
}

/** What a version of a workflow service is made of, besides its file. */
export interface WorkflowVersionRow {
  service_version_id: string;
  /** As which its tasks call services, unless they name another. */
  application_id: string | null;
  /** Null, as are the requirements, while the file has problems. */
  process_id: string | null;
  /** JSON of what packages/workflow calls Requirements. */
  requirements: string | null;
  /** JSON of the problems of the file. */
  problems: string;
}

/** An execution of a workflow, or what a call activity of one has started. */
export interface WorkflowInstanceRow {
  id: string;
  /** Its own id; of a child that of the instance at the root. */
  execution_id: string;
  /** For whom it runs, as `USER` or `ORGANIZATION` and id: owners take turns. */
  owner: string;
  parent_id: string | null;
  /** Number of the child in its parent. */
  parent_child: number | null;
  service_version_id: string;
  /** Null: the one that the file starts with. */
  process_id: string | null;
  /** How many instances have called one another to get here. */
  depth: number;
  phase: 'NEW' | 'RUNNING' | 'COMPLETED' | 'CANCELLED' | 'ERROR';
  /** Grows with every step; who writes a state has read the one before. */
  revision: number;
  incidents: number;
  /** JSON; null until the first step. */
  state: string | null;
  /** Length of the state, to be known before it is read. */
  bytes: number;
  /** Of the instance at the root; erased at its end. */
  sealed_secrets: string | null;
  created_at: number;
  ended_at: number | null;
}

/** What has happened and no step has taken into account yet. */
export interface WorkflowEventRow {
  id: string;
  instance_id: string;
  /** Of what happens once: a second row of the same is refused. */
  dedupe_key: string | null;
  event: string;
  bytes: number;
  /** That of the instance. */
  owner: string;
}

export interface WorkflowStatePartRow {
  instance_id: string;
  /** What it is a part of, for packages/workflow. */
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

/** A service to call, written with the step that asks for it. Its id is that of the execution. */
export interface WorkflowJobRow {
  id: string;
  instance_id: string;
  /** That of the instance. */
  owner: string;
  job: number;
  element_id: string;
  /**
   * ENDED: the execution has ended, its result is not known to the instance. CANCELLING: what runs is to be cancelled.
   * CALLING: its start is on the way to a provider's service. WITHDRAWN: so it is, and it was cancelled meanwhile.
   * REMOTE: it runs at a provider's service.
   */
  state: 'OPEN' | 'STARTED' | 'ENDED' | 'CANCELLING' | 'CALLING' | 'WITHDRAWN' | 'REMOTE';
  /** JSON of what is called. */
  service: string;
  /** JSON; null once it was sent. */
  input: string | null;
  /** As which it was called. */
  application_id: string | null;
  /** When it is worked on next. */
  due: number;
  attempts: number;
  /** Until when a process works on it. */
  locked_until: number;
  /** How often a process has taken it: whoever writes it is the last one who has. */
  lease: number;
  /** Of CALLING and WITHDRAWN: the process whose start is on the way, as the id of its worker, a slash and its own. */
  caller: string | null;
  /** What runs elsewhere: the version that was called. */
  service_version_id: string | null;
  /** Where the service was called, without a slash at the end; of one that runs elsewhere, the path of the execution there. */
  address: string | null;
}

export interface WorkflowTimerRow {
  instance_id: string;
  timer: number;
  element_id: string;
  /** Far in the future: it stands still. */
  due: number;
  /** How often it could not be fired. */
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

/** A message that was published and waits for somebody who wants it. */
export interface WorkflowMessageRow {
  id: string;
  service_id: string;
  /** Of the application that has published it: only what it has started is meant. Null: of the owner of the service. */
  subscription_id: string | null;
  name: string;
  correlation_key: string;
  variables: string;
  message_id: string | null;
  created_at: number;
  expires_at: number;
  /** When somebody got it: it stays for its id. Null: it waits. */
  correlated_at: number | null;
  /** Of the instance that has thrown it, until it is published; null: it is, or was sent. */
  owner: string | null;
  /** How many instances have started one another by messages up to what it starts; 0: it was sent. */
  depth: number;
}

/** An event of an instance that waits for a signal. */
export interface WorkflowSignalSubscriptionRow {
  /** Assigned by the database, ascending and never again: a signal reaches what was there when it was broadcast. */
  position: Generated<number>;
  instance_id: string;
  subscription: number;
  element_id: string;
  service_id: string;
  signal_name: string;
  /** For whom the instance runs: its owner and, where an application has started it, the subscription. */
  runs_for: string;
}

/** A signal start event of the version of a service that was deployed last. */
export interface WorkflowSignalStartRow {
  service_version_id: string;
  element_id: string;
  service_id: string;
  signal_name: string;
}

/** A signal that was broadcast and has not reached everything yet. It is delivered service by service. */
export interface WorkflowSignalRow {
  id: string;
  /** For whom it was broadcast, as `USER` or `ORGANIZATION` and id: owners take turns. */
  owner: string;
  /**
   * Null: it reaches all services of the owner. Else it reaches only instances of one service that run for the same owner and
   * subscription, and starts nothing.
   */
  runs_for: string | null;
  /** Who has broadcast it, and starts what it starts; null: an instance, or an application. */
  person_id: string | null;
  name: string;
  variables: string;
  /** The instance that has thrown it, and its number there: subscriptions with a higher number were opened after it. */
  instance_id: string | null;
  signal: number | null;
  /** How many instances have started one another by messages and signals up to what it starts; 0: it was sent. */
  depth: number;
  /** The last subscription that was there when it was broadcast. */
  last_position: number;
  /** How far it is: the service, and the last subscription of the service that has received it. */
  service_id: string;
  position: number;
  created_at: number;
}

/** The last instance that a message start event has started for a correlation key; while it is active no other is started. */
export interface WorkflowStartKeyRow {
  start_key: string;
  instance_id: string;
}

/** When a timer start event of a published version is due next. */
export interface WorkflowScheduleRow {
  service_version_id: string;
  element_id: string;
  /** 0: not known yet; far in the future: it stands still. */
  due: number;
  /** JSON of what the next time is computed from. */
  timer: string | null;
  /** How often in a row it could not start anything. */
  attempts: number;
  /** Why it could not the last time, for the owner of the service; null when it could. */
  failure: string | null;
  /** When it was stopped because it failed too often. */
  stopped_at: number | null;
}
