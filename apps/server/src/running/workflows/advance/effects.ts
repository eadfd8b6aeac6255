import { jsonText, type Effect, type Event } from '@kethub/workflow';
import type { Platform } from '../../../foundation/platform.ts';
import type {
  WorkflowInstanceRow,
  WorkflowJobRow,
  WorkflowMessageRow,
  WorkflowSignalRow,
  WorkflowSignalSubscriptionRow,
  WorkflowSubscriptionRow,
  WorkflowTimerRow,
} from '../../../foundation/storage/index.ts';
import { eventRow, type NewEvent } from './events.ts';
import type { Advanced } from './reduce.ts';

/** Number of instances that may call one another. Beyond it, a call activity gets an incident, and a task fails. */
export const DEPTH = 32;

export interface Numbered {
  readonly instance_id: string;
  readonly number: number;
}

/** The effects of many instances, by table. */
export interface Effects {
  readonly jobs: WorkflowJobRow[];
  readonly jobsToCancel: Numbered[];
  readonly timers: WorkflowTimerRow[];
  readonly timersToRemove: Numbered[];
  readonly subscriptions: Omit<WorkflowSubscriptionRow, 'service_id'>[];
  readonly subscriptionsToRemove: Numbered[];
  readonly children: WorkflowInstanceRow[];
  readonly childrenToCancel: Numbered[];
  readonly messages: ThrownMessage[];
  readonly signalSubscriptions: NewSignalSubscription[];
  readonly signalSubscriptionsToRemove: Numbered[];
  readonly signals: ThrownSignal[];
  readonly events: NewEvent[];
}

/** A message that an instance throws. The database knows the service and the subscription. */
export interface ThrownMessage extends Omit<WorkflowMessageRow, 'service_id' | 'subscription_id'> {
  readonly instance_id: string;
}

/** An event that waits for a signal. The database knows the service and the audience, and assigns the position. */
export type NewSignalSubscription = Omit<WorkflowSignalSubscriptionRow, 'service_id' | 'runs_for' | 'position'>;

/** A signal that an instance throws. The database knows its audience. */
export type ThrownSignal = Pick<WorkflowSignalRow, 'id' | 'owner' | 'name' | 'variables' | 'depth' | 'created_at'> & {
  readonly instance_id: string;
  readonly signal: number;
};

/** Milliseconds that a message without a time to live waits, as one that is sent from outside. */
const KEEP_MS = 3_600_000;

export function noEffects(): Effects {
  return {
    jobs: [],
    jobsToCancel: [],
    timers: [],
    timersToRemove: [],
    subscriptions: [],
    subscriptionsToRemove: [],
    children: [],
    childrenToCancel: [],
    messages: [],
    signalSubscriptions: [],
    signalSubscriptionsToRemove: [],
    signals: [],
    events: [],
  };
}

export function collectEffects(platform: Platform, advanced: readonly Advanced[]): Effects {
  const all = noEffects();
  for (const { row, next } of advanced) {
    for (const effect of next?.effects ?? []) add(platform, all, row, effect);
    if (next?.isPaused) all.events.push(eventRow(platform, row.id, { type: 'resume' }));
  }
  return all;
}

function add(platform: Platform, all: Effects, row: WorkflowInstanceRow, effect: Effect): void {
  const { id } = row;
  switch (effect.type) {
    case 'startJob':
      return void all.jobs.push(jobRow(platform, row, effect));
    case 'cancelJob':
      return void all.jobsToCancel.push({ instance_id: id, number: effect.job });
    case 'setTimer':
      return void all.timers.push({
        instance_id: id,
        timer: effect.timer,
        element_id: effect.elementId,
        due: effect.due,
        attempts: 0,
      });
    case 'cancelTimer':
      return void all.timersToRemove.push({ instance_id: id, number: effect.timer });
    case 'openSubscription':
      return void all.subscriptions.push({
        instance_id: id,
        subscription: effect.subscription,
        element_id: effect.elementId,
        message_name: effect.messageName,
        correlation_key: effect.correlationKey,
      });
    case 'closeSubscription':
      return void all.subscriptionsToRemove.push({ instance_id: id, number: effect.subscription });
    case 'publishMessage':
      return void all.messages.push(messageRow(platform, row, effect));
    case 'openSignalSubscription':
      return void all.signalSubscriptions.push({
        instance_id: id,
        subscription: effect.subscription,
        element_id: effect.elementId,
        signal_name: effect.signalName,
      });
    case 'closeSignalSubscription':
      return void all.signalSubscriptionsToRemove.push({ instance_id: id, number: effect.subscription });
    case 'broadcastSignal':
      return void all.signals.push(signalRow(platform, row, effect));
    case 'startChild':
      return addChild(platform, all, row, effect);
    case 'cancelChild':
      return void all.childrenToCancel.push({ instance_id: id, number: effect.child });
    case 'incidentsChanged':
      return toParent(platform, all, row, (child) => ({ type: 'childIncidents', child, errors: effect.errors }));
    case 'finished':
      return toParent(platform, all, row, (child) => ({ type: 'childEnded', child, outcome: effect.outcome }));
  }
}

function jobRow(
  { newId }: Platform,
  { id: instanceId, owner }: WorkflowInstanceRow,
  { job, elementId, service, input }: Extract<Effect, { type: 'startJob' }>,
): WorkflowJobRow {
  return {
    id: newId(),
    instance_id: instanceId,
    owner,
    job,
    element_id: elementId,
    state: 'OPEN',
    service: JSON.stringify(service),
    input: jsonText(input),
    application_id: null,
    due: 0,
    attempts: 0,
    locked_until: 0,
    lease: 0,
    caller: null,
    service_version_id: null,
    address: null,
  };
}

/** The row of a message; `owner` is set until the message is published. */
function messageRow(
  { newId, now }: Platform,
  { id: instance_id, owner, depth }: WorkflowInstanceRow,
  { messageName, correlationKey, timeToLiveMs, variables }: Extract<Effect, { type: 'publishMessage' }>,
): ThrownMessage {
  return {
    id: newId(),
    instance_id,
    name: messageName,
    correlation_key: correlationKey,
    variables: jsonText(variables),
    message_id: null,
    created_at: now(),
    expires_at: now() + (timeToLiveMs ?? KEEP_MS),
    correlated_at: null,
    owner,
    depth: depth + 1,
  };
}

function signalRow(
  { newId, now }: Platform,
  { id: instance_id, owner, depth }: WorkflowInstanceRow,
  { signal, signalName, variables }: Extract<Effect, { type: 'broadcastSignal' }>,
): ThrownSignal {
  return {
    id: newId(),
    owner,
    name: signalName,
    variables: jsonText(variables),
    instance_id,
    signal,
    depth: depth + 1,
    created_at: now(),
  };
}

function addChild(
  platform: Platform,
  all: Effects,
  parent: WorkflowInstanceRow,
  { child, processId, variables, secrets, caughtOutside }: Extract<Effect, { type: 'startChild' }>,
): void {
  if (parent.depth >= DEPTH) {
    const message = `Processes may call one another at most ${DEPTH} deep.`;
    const event: Event = { type: 'childEnded', child, outcome: { type: 'notStarted', message } };
    return void all.events.push(eventRow(platform, parent.id, event));
  }
  const id = platform.newId();
  all.children.push({
    id,
    execution_id: parent.execution_id,
    owner: parent.owner,
    parent_id: parent.id,
    parent_child: child,
    service_version_id: parent.service_version_id,
    process_id: processId,
    depth: parent.depth + 1,
    phase: 'NEW',
    revision: 0,
    incidents: 0,
    child_incidents: 0,
    state: null,
    bytes: 0,
    sealed_secrets: null,
    created_at: platform.now(),
    ended_at: null,
  });
  const event: Event = { type: 'start', processId, variables, secrets, caughtOutside, seed: id };
  all.events.push(eventRow(platform, id, event, `start:${id}`));
}

function toParent(
  platform: Platform,
  all: Effects,
  { id, parent_id, parent_child }: WorkflowInstanceRow,
  event: (child: number) => Event,
): void {
  if (parent_id === null || parent_child === null) return;
  const happened = event(parent_child);
  const once = happened.type === 'childEnded' ? `ended:${id}` : null;
  all.events.push(eventRow(platform, parent_id, happened, once));
}
