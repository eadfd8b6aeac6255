import type { Trigger } from '../graph.ts';
import type { ErrorEnvelope, OpenSubscription, OpenTimer, UrgentCommand, Variables } from '../types.ts';
import type { Machine } from './machine.ts';
import { nextTime, openWaits, type Awaited } from './waits.ts';

/** The data of an event: none for a timer, variables of a message or signal, an error with its variable. */
interface Happening {
  readonly payload: Variables;
  /** Variables of the scope in which the event is, set before anything else: where an error is kept. */
  readonly keep: Variables;
  /** The error that an error event catches. */
  readonly error?: ErrorEnvelope;
}

/**
 * An event happens to an element if the element waits for it itself. So it does to the host of a boundary event, to the
 * gateway before it, and to the scope of an event sub-process.
 */
export function trigger(machine: Machine, key: number, eventId: string, happening: Happening): void {
  const { payload, keep, error } = happening;
  const event = machine.node(eventId);
  const element = machine.get(key);
  switch (event.kind) {
    case 'boundaryEvent':
      machine.setVariables(element.scope, keep);
      machine.pushUrgent(...(event.interrupting ? [{ do: 'terminate', element: key } as const] : []), {
        do: 'happen',
        event: eventId,
        scope: element.scope,
        payload,
        ...(error && { error }),
      });
      break;
    case 'startEvent':
      startEventSubProcess(machine, key, event.scope, happening);
      break;
    default:
      if (element.elementId !== eventId) {
        machine.push({ do: 'leave', element: key, flows: [] });
        machine.pushUrgent({ do: 'happen', event: eventId, scope: element.scope, payload });
        break;
      }
      machine.closeWaits(key);
      machine.edit(key).payload = payload;
      machine.push({ do: 'complete', element: key });
  }
}

/** Continues with the event, with its data, after the waiting or interrupted element has gone. */
export function happen(
  machine: Machine,
  { event, scope, payload, error }: Extract<UrgentCommand, { do: 'happen' }>,
): void {
  const { key } = machine.create(event, scope, { phase: 'COMPLETING', payload });
  machine.push({ do: 'complete', element: key });
  if (error !== undefined) machine.note({ type: 'errorCaught', elementId: event, element: key, error });
}

/** An event sub-process begins in a scope, in which it is alone if it interrupts. */
export function handle(
  machine: Machine,
  { id, scope, payload, keep, error }: Extract<UrgentCommand, { do: 'handle' }>,
): void {
  const node = machine.node(id);
  if (node.kind !== 'eventSubProcess') throw new Error(`${id} is no event sub-process`);
  const { key } = machine.create(id, scope, { variables: keep, payload, startedBy: node.startEvent });
  machine.push({ do: 'activate', element: key });
  if (error !== undefined) machine.note({ type: 'errorCaught', elementId: node.startEvent, element: key, error });
}

function startEventSubProcess(machine: Machine, scope: number, id: string, { payload, keep, error }: Happening): void {
  const node = machine.node(id);
  if (node.kind !== 'eventSubProcess') throw new Error(`${id} is no event sub-process`);
  // It may have failed to complete; it will try again when this is done.
  machine.resolveIncidentsOf(scope);
  const around = machine.edit(scope);
  around.phase = 'ACTIVE';
  if (node.interrupting) {
    machine.closeWaits(scope);
    around.interrupted = true;
    delete around.waiting;
  }
  machine.pushUrgent(...(node.interrupting ? [{ do: 'terminateIn', scope } as const] : []), {
    do: 'handle',
    id,
    scope,
    payload,
    keep,
    ...(error && { error }),
  });
}

/** Start events of the event sub-processes in a scope. */
export function eventsOfScope(machine: Machine, eventSubProcesses: readonly string[]): Awaited[] {
  return eventSubProcesses.flatMap((id) => {
    const node = machine.node(id);
    return node.kind === 'eventSubProcess' ? [{ event: node.startEvent, trigger: node.trigger }] : [];
  });
}

/** Boundary events of an activity. Correlation keys are evaluated in the scope around it. */
export function openBoundaries(machine: Machine, key: number): void {
  const { elementId, scope } = machine.get(key);
  const awaited = machine.node(elementId).boundaries.map((event) => ({ event, trigger: triggerOf(machine, event) }));
  openWaits(machine, key, awaited, scope);
}

export function triggerOf(machine: Machine, eventId: string): Trigger {
  const event = machine.node(eventId);
  return 'trigger' in event ? event.trigger : { type: 'none' };
}

/** A timer is due. It is gone, or set again when it repeats. */
export function timerDue(machine: Machine, timer: OpenTimer): void {
  machine.timerDue(timer);
  if (!interrupts(machine, timer.elementId)) {
    const next = nextTime(timer);
    if (next !== null) machine.setTimer({ element: timer.element, elementId: timer.elementId, ...next });
  }
  trigger(machine, timer.element, timer.elementId, { payload: {}, keep: {} });
}

/** A message has come. A subscription that does not interrupt is opened anew, so that no message counts twice. */
export function messageCorrelated(machine: Machine, open: OpenSubscription, payload: Variables): void {
  const { subscription: _, ...own } = open;
  machine.closeSubscription(open);
  if (!interrupts(machine, open.elementId)) machine.openSubscription(own);
  trigger(machine, open.element, open.elementId, { payload, keep: {} });
}

/**
 * A signal has come. It comes once, so a subscription that does not interrupt stays open: no signal is missed in
 * between.
 */
export function signalReceived(machine: Machine, open: OpenSubscription, payload: Variables): void {
  if (interrupts(machine, open.elementId)) machine.closeSubscription(open);
  trigger(machine, open.element, open.elementId, { payload, keep: {} });
}

function interrupts(machine: Machine, eventId: string): boolean {
  const event = machine.node(eventId);
  return event.kind === 'boundaryEvent' || event.kind === 'startEvent' ? event.interrupting : true;
}
