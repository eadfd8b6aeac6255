import { isDeepStrictEqual } from 'node:util';
import type { ElementInstance, Event, Outcome, State } from '../types.ts';
import { SERVICE_FAILED, serviceMessage, throwError } from './errors.ts';
import type { Machine } from './machine.ts';
import { resultVariables } from './outside.ts';
import { terminate } from './terminate.ts';
import { messageCorrelated, timerDue } from './trigger.ts';
import { merge } from './variables.ts';

type Application = (machine: Machine) => void;

/** What is to be done about an event; null when what it is about is no longer open. */
export function applicationOf(state: State, event: Event): Application | null {
  // The table has for each type of event what takes events of that type.
  return applications[event.type](state, event as never);
}

const applications: {
  readonly [T in Event['type']]: (state: State, event: Extract<Event, { type: T }>) => Application | null;
} = {
  start: () => null,
  jobSucceeded: (state, event) =>
    about(
      state,
      ({ job }) => job === event.job,
      (machine, key) => {
        const element = machine.edit(key);
        delete element.job;
        delete element.delayed;
        element.payload = resultVariables(event.result);
        machine.push({ do: 'complete', element: key });
      },
    ),
  jobFailed: (state, event) =>
    about(
      state,
      ({ job }) => job === event.job,
      (machine, key) => failService(machine, key, event),
    ),
  // Once for each job: what comes and goes for hours does not fill the journal.
  jobDelayed: (state, event) =>
    about(
      state,
      ({ job, delayed }) => job === event.job && delayed !== true,
      (machine, key) => {
        const element = machine.edit(key);
        element.delayed = true;
        machine.note({ type: 'delayed', elementId: element.elementId, element: key, reason: event.reason });
      },
    ),
  timerDue(state, event) {
    const timer = state.timers[event.timer];
    return timer === undefined ? null : (machine) => timerDue(machine, timer);
  },
  messageCorrelated(state, event) {
    const open = state.subscriptions[event.subscription];
    return open === undefined ? null : (machine) => messageCorrelated(machine, open, event.variables);
  },
  childEnded: (state, event) =>
    about(
      state,
      ({ child }) => child === event.child,
      (machine, key) => endChild(machine, key, event.outcome),
    ),
  childIncidents: (state, event) =>
    about(
      state,
      ({ child, childErrors = [] }) => child === event.child && !isDeepStrictEqual(childErrors, event.errors),
      (machine, key) => {
        machine.edit(key).childErrors = event.errors;
        machine.errorsChanged = true;
      },
    ),
  cancel: () => cancel,
  resolveIncident(state, event) {
    const open = state.incidents.some(({ incident }) => incident === event.incident);
    return open ? (machine) => resolve(machine, event.incident) : null;
  },
  setVariables(state, event) {
    const root = Object.values(state.elements).find(({ scope }) => scope === 0)?.key;
    const key = event.scope ?? root;
    if (key === undefined || state.elements[key] === undefined) return null;
    return (machine) => merge(machine, key, event.variables);
  },
};

function about(
  state: State,
  isMeant: (element: ElementInstance) => boolean,
  apply: (machine: Machine, key: number) => void,
): Application | null {
  const element = Object.values(state.elements).find(isMeant);
  return element === undefined ? null : (machine) => apply(machine, element.key);
}

function failService(machine: Machine, key: number, event: Extract<Event, { type: 'jobFailed' }>): void {
  const { serviceId, applicationId, response } = event;
  const element = machine.edit(key);
  delete element.job;
  delete element.delayed;
  const error = {
    errorCode: 'HUB_SERVICE_FAILED',
    failedElement: element.elementId,
    message: serviceMessage(response),
    serviceId,
    applicationId,
    response,
  };
  throwError(machine, key, SERVICE_FAILED, error, 'SERVICE_FAILED');
}

function endChild(machine: Machine, key: number, outcome: Outcome): void {
  const element = machine.edit(key);
  delete element.child;
  if (element.childErrors !== undefined) machine.errorsChanged = true;
  delete element.childErrors;
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

function cancel(machine: Machine): void {
  terminate(machine, machine.children(0));
  machine.state.phase = 'CANCELLED';
  machine.note({ type: 'finished', phase: 'CANCELLED' });
  machine.effects.push({ type: 'finished', outcome: { type: 'cancelled' } });
}

/** What failed is tried again, from the phase that the element was in. */
function resolve(machine: Machine, incident: number): void {
  const open = machine.state.incidents.find((each) => each.incident === incident);
  machine.resolveIncidents((each) => each.incident === incident);
  const element = open === undefined ? undefined : machine.find(open.element);
  if (open === undefined || element === undefined) return;
  if (open.type === 'DEADLOCK') machine.moved(element.key);
  else if (element.phase === 'COMPLETING' || element.phase === 'COLLECTING')
    machine.push({ do: 'complete', element: element.key });
  else machine.push({ do: 'activate', element: element.key });
}
