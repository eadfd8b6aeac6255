import type { Trigger } from '../graph.ts';
import type { ElementInstance, ErrorEnvelope, IncidentType, Value, Variables } from '../types.ts';
import type { Machine } from './machine.ts';
import { eventsOfScope, trigger, triggerOf } from './trigger.ts';
import { isObject, merge } from './variables.ts';

/** The code by which boundary events know a failed service; its envelope says `HUB_SERVICE_FAILED`. */
export const SERVICE_FAILED = 'SERVICE_FAILED';

type Kind = 'error' | 'escalation';

interface Catcher {
  /** The host of the boundary event, or the scope of the event sub-process. */
  readonly element: number;
  readonly event: string;
  readonly catches: Extract<Trigger, { type: Kind }>;
}

/**
 * Throws an error at an element: the nearest catcher outwards takes it, with the very code before one for all codes.
 * Uncaught, it is caught by the caller of the process when that has said so, and else it is an incident.
 */
export function throwError(
  machine: Machine,
  key: number,
  code: string,
  error: ErrorEnvelope,
  incident: IncidentType,
): void {
  const catcher = catcherOf(machine, key, 'error', code);
  if (catcher !== undefined) {
    const { element, event, catches } = catcher;
    const keep: Variables = catches.type === 'error' ? { [catches.payloadVariable]: { ...error } } : {};
    // The variable of an error is one of the process (Workflow errors, rule 4), or of the nearest scope that has
    // declared it. The scope of the event has it as well, so that rounds of a loop do not read each other's.
    const host = machine.get(element);
    merge(machine, machine.node(event).kind === 'boundaryEvent' ? host.scope : host.key, keep);
    trigger(machine, element, event, { payload: {}, keep, error });
    return;
  }
  const outside = machine.state.caughtOutside;
  if (outside !== null && (outside.includes(code) || outside.includes('*')))
    machine.terminateAll({ do: 'end', phase: 'ERROR', code, error });
  else machine.incident(machine.get(key), incident, error);
}

/**
 * Throws an escalation at an element: the nearest catcher outwards takes it, in the same process. What throws goes on,
 * unless the catcher interrupts it. Uncaught it changes nothing, and is a warning.
 */
export function throwEscalation(machine: Machine, key: number, code: string): void {
  const catcher = catcherOf(machine, key, 'escalation', code);
  if (catcher !== undefined) trigger(machine, catcher.element, catcher.event, { payload: {}, keep: {} });
  else
    machine.warn(code, [
      { code: 'UNCAUGHT_ESCALATION', message: `No event around it catches the escalation ${code}.` },
    ]);
  machine.push({ do: 'complete', element: key });
}

function catcherOf(machine: Machine, key: number, kind: Kind, code: string): Catcher | undefined {
  for (const level of levels(machine, key, kind)) {
    const catcher =
      level.find(({ catches }) => catches.code === code) ?? level.find(({ catches }) => catches.code === null);
    if (catcher !== undefined) return catcher;
  }
  return undefined;
}

/** The catchers that an error or an escalation passes from an element outwards, place by place. */
function* levels(machine: Machine, key: number, kind: Kind): Generator<Catcher[]> {
  let element: Readonly<ElementInstance> | undefined = machine.get(key);
  while (element !== undefined) {
    const node = machine.node(element.elementId);
    // The boundary events of a loop belong to its body, not to its instances.
    if (element.loopCounter === undefined) {
      yield catchers(
        element.key,
        kind,
        node.boundaries.map((event) => ({ event, trigger: triggerOf(machine, event) })),
      );
    }
    const scope = machine.find(element.scope);
    if (scope !== undefined && scope.loop === undefined && scope.interrupted !== true) {
      const content = machine.node(scope.elementId);
      if ('eventSubProcesses' in content)
        yield catchers(scope.key, kind, eventsOfScope(machine, content.eventSubProcesses));
    }
    element = scope;
  }
}

function catchers(
  element: number,
  kind: Kind,
  events: readonly { readonly event: string; readonly trigger: Trigger }[],
): Catcher[] {
  return events.flatMap(({ event, trigger: catches }) =>
    (catches.type === 'error' || catches.type === 'escalation') && catches.type === kind
      ? [{ element, event, catches }]
      : [],
  );
}

/** Codes that somebody catches around a call activity, for the process that it calls. */
export function caughtAround(machine: Machine, key: number): string[] {
  const codes = [...levels(machine, key, 'error')].flat().map(({ catches }) => catches.code ?? '*');
  return [...new Set([...codes, ...(machine.state.caughtOutside ?? [])])];
}

/** Workflow error envelope: the message is the first text that is not empty (Resources, Workflow error envelope). */
export function serviceMessage(response: Value): string {
  const members = isObject(response)
    ? ['detail', 'title', 'message'].map((name) => (Object.hasOwn(response, name) ? response[name] : null))
    : [];
  const message = members.find((member) => typeof member === 'string' && member.trim() !== '');
  return typeof message === 'string' ? message : 'Service execution failed';
}
