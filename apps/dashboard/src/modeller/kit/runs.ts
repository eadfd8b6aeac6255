/**
 * Entries of the menu that changes an element, by their ids, for what the platform refuses: see docs/bpmn.md. The rest
 * of the menu runs.
 */
const REFUSED =
  /(?:user-task|send-task|rule-task|business-rule|transaction|ad-hoc|complex-gateway|compensation|cancel|pool|toggle-loop|data-|conditional-)/;

/** Returns whether an entry of the menu makes an element that runs. */
export function runs(entry: string): boolean {
  return !REFUSED.test(entry);
}

/** A kind of element that can follow another one. */
export interface Kind {
  readonly id: string;
  readonly name: string;
  readonly icon: string;
  readonly shape: Readonly<Record<string, unknown>>;
}

const event = (type: string, definition?: string): Kind['shape'] => ({
  type,
  ...(definition !== undefined && { eventDefinitionType: `bpmn:${definition}EventDefinition` }),
});

/** Elements that the palette and the outline offer, in this order. */
export const KINDS: readonly Kind[] = [
  { id: 'service', name: 'Service task', icon: 'service-task', shape: { type: 'bpmn:ServiceTask' } },
  { id: 'script', name: 'Script task', icon: 'script-task', shape: { type: 'bpmn:ScriptTask' } },
  { id: 'exclusive', name: 'Exclusive gateway', icon: 'gateway-xor', shape: { type: 'bpmn:ExclusiveGateway' } },
  { id: 'parallel', name: 'Parallel gateway', icon: 'gateway-parallel', shape: { type: 'bpmn:ParallelGateway' } },
  { id: 'inclusive', name: 'Inclusive gateway', icon: 'gateway-or', shape: { type: 'bpmn:InclusiveGateway' } },
  { id: 'choice', name: 'Event-based gateway', icon: 'gateway-eventbased', shape: { type: 'bpmn:EventBasedGateway' } },
  {
    id: 'timer',
    name: 'Wait for a time',
    icon: 'intermediate-event-catch-timer',
    shape: event('bpmn:IntermediateCatchEvent', 'Timer'),
  },
  {
    id: 'message',
    name: 'Wait for a message',
    icon: 'intermediate-event-catch-message',
    shape: event('bpmn:IntermediateCatchEvent', 'Message'),
  },
  {
    id: 'signal',
    name: 'Wait for a signal',
    icon: 'intermediate-event-catch-signal',
    shape: event('bpmn:IntermediateCatchEvent', 'Signal'),
  },
  {
    id: 'throw',
    name: 'Throw a message',
    icon: 'intermediate-event-throw-message',
    shape: event('bpmn:IntermediateThrowEvent', 'Message'),
  },
  {
    id: 'sub-process',
    name: 'Sub-process',
    icon: 'subprocess-expanded',
    shape: { type: 'bpmn:SubProcess', isExpanded: true },
  },
  { id: 'call', name: 'Call activity', icon: 'call-activity', shape: { type: 'bpmn:CallActivity' } },
  { id: 'end', name: 'End event', icon: 'end-event-none', shape: event('bpmn:EndEvent') },
  { id: 'error', name: 'Error end event', icon: 'end-event-error', shape: event('bpmn:EndEvent', 'Error') },
  {
    id: 'terminate',
    name: 'Terminate end event',
    icon: 'end-event-terminate',
    shape: event('bpmn:EndEvent', 'Terminate'),
  },
];

/** Events that can be attached to an activity; an escalation to a sub-process only. */
export const BOUNDARIES: readonly Kind[] = ['Error', 'Timer', 'Message', 'Signal', 'Escalation'].map((definition) => ({
  id: `boundary-${definition.toLowerCase()}`,
  name: `${definition} boundary event`,
  icon: `intermediate-event-catch-${definition.toLowerCase()}`,
  shape: event('bpmn:BoundaryEvent', definition),
}));
