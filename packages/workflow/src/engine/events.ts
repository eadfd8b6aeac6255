import { rootOf, type State } from '../state/state.ts';
import type { Event, OpenTimer, Outcome, Value } from '../types.ts';
import { SERVICE_FAILED, serviceMessage, throwError } from './errors.ts';
import type { Machine } from './machine.ts';
import { resultVariables, startJob } from './outside.ts';
import { isSameValue } from './same-value.ts';
import { messageCorrelated, signalReceived, timerDue } from './trigger.ts';
import { merge } from './variables.ts';

type Application = (machine: Machine) => void;

/** The application of an event to a state; null when its subject is no longer open. */
export function applicationOf(state: State, event: Event): Application | null {
  // The table has for each type of event what takes events of that type.
  return applications[event.type](state, event as never);
}

/** The open incident of the platform's own failure; null without one. */
export function platformFaultOf(state: State): number | null {
  const root = rootOf(state);
  const own = root === undefined ? undefined : state.index.incidents.get(root);
  for (const key of own?.keys() ?? []) if (state.incidents.get(key)?.type === 'PLATFORM_FAULT') return key;
  return null;
}

const applications: {
  readonly [T in Event['type']]: (state: State, event: Extract<Event, { type: T }>) => Application | null;
} = {
  start: () => null,
  jobSucceeded: ({ index }, event) =>
    about(index.jobs.get(event.job), (machine, key) => {
      machine.clearJob(key);
      machine.edit(key).payload = takesResult(machine, key) ? resultVariables(event.result) : {};
      machine.push({ do: 'complete', element: key });
    }),
  jobFailed: ({ index }, event) => about(index.jobs.get(event.job), (machine, key) => failService(machine, key, event)),
  // Once for each job: what comes and goes for hours does not fill the journal.
  jobDelayed({ index, elements }, event) {
    const key = index.jobs.get(event.job);
    if (key === undefined || elements.get(key)?.delayed === true) return null;
    return (machine) => {
      const element = machine.edit(key);
      element.delayed = true;
      machine.note({ type: 'delayed', elementId: element.elementId, element: key, reason: event.reason });
    };
  },
  jobAbandoned:
    (_state, { elementId, reason }) =>
    (machine) =>
      machine.note({ type: 'abandoned', elementId, reason }),
  platformFailed(state, { message }) {
    if (platformFaultOf(state) !== null) return null;
    return about(rootOf(state), (machine, key) => {
      const { elementId } = machine.get(key);
      machine.incident(machine.get(key), 'PLATFORM_FAULT', {
        errorCode: 'WORKFLOW_ERROR',
        failedElement: elementId,
        message,
      });
    });
  },
  timerDue(state, event) {
    const timer = state.timers.get(event.timer);
    if (timer === undefined) return null;
    return (machine) => (isRetry(machine, timer) ? callAgain(machine, timer) : timerDue(machine, timer));
  },
  messageCorrelated(state, event) {
    const open = state.subscriptions.get(event.subscription);
    return open === undefined ? null : (machine) => messageCorrelated(machine, open, event.variables);
  },
  signalReceived(state, event) {
    const open = state.subscriptions.get(event.subscription);
    return open === undefined ? null : (machine) => signalReceived(machine, open, event.variables);
  },
  childEnded: ({ index }, event) =>
    about(index.called.get(event.child), (machine, key) => endChild(machine, key, event.outcome)),
  childIncidents({ index, elements }, event) {
    const key = index.called.get(event.child);
    if (key === undefined || isSameValue(elements.get(key)?.childErrors ?? [], event.errors)) return null;
    return (machine) => machine.setChildErrors(key, event.errors);
  },
  cancel: (state) =>
    state.work?.urgent.some((command) => command.do === 'end') === true
      ? null
      : (machine) => machine.terminateAll({ do: 'end', phase: 'CANCELLED' }),
  resolveIncident: (state, event) =>
    state.incidents.has(event.incident) ? (machine) => resolve(machine, event.incident) : null,
  setVariables(state, event) {
    const key = event.scope ?? rootOf(state);
    if (key === undefined || !state.elements.has(key)) return null;
    return (machine) => merge(machine, key, event.variables);
  },
};

function about(key: number | undefined, apply: (machine: Machine, key: number) => void): Application | null {
  return key === undefined ? null : (machine) => apply(machine, key);
}

function failService(machine: Machine, key: number, event: Extract<Event, { type: 'jobFailed' }>): void {
  const { serviceId, applicationId, response } = event;
  machine.clearJob(key);
  if (retryLater(machine, key, response)) return;
  const error = {
    errorCode: 'HUB_SERVICE_FAILED',
    failedElement: machine.get(key).elementId,
    message: serviceMessage(response),
    serviceId,
    applicationId,
    response,
  };
  throwError(machine, key, SERVICE_FAILED, error, 'SERVICE_FAILED');
}

/** A call activity may take nothing of what it has called, unless it maps it. */
function takesResult(machine: Machine, key: number): boolean {
  const node = machine.node(machine.get(key).elementId);
  return node.kind !== 'service' || node.called === null || node.called.allChildVariables || node.outputs.length > 0;
}

const LONGEST_BACKOFF_MS = 3_600_000;

/**
 * Returns whether the task calls its service once more, after a pause that doubles with each failure, up to an hour.
 */
function retryLater(machine: Machine, key: number, response: Value): boolean {
  const element = machine.edit(key);
  const node = machine.node(element.elementId);
  const failures = (element.failures ?? 0) + 1;
  delete element.failures;
  if (node.kind !== 'service' || node.retry === null || failures >= node.retry.tries) return false;
  element.failures = failures;
  const pause = Math.min(LONGEST_BACKOFF_MS, node.retry.backoffMs * 2 ** (failures - 1));
  const { elementId } = element;
  machine.setTimer({ element: key, elementId, due: machine.env.now + pause });
  const reason = `call ${failures} of ${node.retry.tries} has failed: ${serviceMessage(response)}`;
  machine.note({ type: 'delayed', elementId, element: key, reason });
  return true;
}

/** A service task itself waits for nothing else. */
function isRetry(machine: Machine, { element, elementId }: OpenTimer): boolean {
  return machine.get(element).elementId === elementId && machine.node(elementId).kind === 'service';
}

function callAgain(machine: Machine, timer: OpenTimer): void {
  machine.timerDue(timer);
  const node = machine.node(timer.elementId);
  if (node.kind === 'service') startJob(machine, machine.get(timer.element), node);
}

function endChild(machine: Machine, key: number, outcome: Outcome): void {
  machine.clearChild(key);
  const element = machine.edit(key);
  const node = machine.node(element.elementId);
  if (outcome.type === 'completed') {
    const takes = node.kind === 'call' && (node.allChildVariables || node.outputs.length > 0);
    element.payload = takes ? outcome.variables : {};
    machine.push({ do: 'complete', element: key });
  } else if (outcome.type === 'error') throwError(machine, key, outcome.code, outcome.error, 'UNHANDLED_ERROR_EVENT');
  else {
    const message = outcome.type === 'cancelled' ? 'The called process was cancelled.' : outcome.message;
    machine.incident(element, 'CALLED_ELEMENT_ERROR', {
      errorCode: 'WORKFLOW_ERROR',
      failedElement: element.elementId,
      message,
    });
  }
}

/** Retries the element of an incident, from the phase that it was in. */
function resolve(machine: Machine, incident: number): void {
  const open = machine.state.incidents.get(incident);
  machine.resolveIncident(incident);
  const element = open === undefined ? undefined : machine.find(open.element);
  if (open === undefined || element === undefined) return;
  // The platform has done nothing yet of what it could not do.
  if (open.type === 'PLATFORM_FAULT') return;
  if (open.type === 'DEADLOCK') machine.moved(element.key);
  else if (element.phase === 'COMPLETING' || element.phase === 'COLLECTING')
    machine.push({ do: 'complete', element: element.key });
  else machine.push({ do: 'activate', element: element.key });
}
