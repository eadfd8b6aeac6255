import type { Expression } from '../expression.ts';
import type { Own } from '../graph.ts';
import type { Value } from '../types.ts';
import type { Draft, ProcessDraft } from './draft.ts';
import { child, children, extension, flag, kindName, text, withArticle, type Element } from './element.ts';
import { feelOf } from './expressions.ts';
import { limits } from './limits.ts';
import type { Report } from './report.ts';
import { isLink } from './links.ts';
import { messageEventOf } from './thrown.ts';
import { escalationCode, messageOf, signalOf, triggerOf } from './triggers.ts';

/**
 * A process starts by a plain, timer, message or signal event, and a sub-process by a plain one. An event sub-process
 * starts by a timer, message, signal, error or escalation.
 */
export function startEventOf(
  { report, scopes, id }: ProcessDraft,
  { element, scope }: Draft,
): Own<'startEvent'> | null {
  const parent = scopes.get(scope)?.element;
  const inProcess = scope === id;
  const inEventSubProcess = !inProcess && parent !== undefined && flag(parent, 'triggeredByEvent', false);
  const interrupting = flag(element, 'isInterrupting', true);
  const trigger = triggerOf(report, element, {
    timers: inProcess ? ['date', 'cycle'] : interrupting ? ['date', 'duration'] : ['date', 'duration', 'cycle'],
    correlated: !inProcess,
    errors: inEventSubProcess,
    escalations: inEventSubProcess,
    none: !inEventSubProcess,
    payloadHost: scope,
  });
  if (trigger === null) return null;
  if (!inProcess && !inEventSubProcess && trigger.type !== 'none') {
    report.add(element, 'START_EVENT', 'A sub-process starts with a plain start event.');
    return null;
  }
  if (trigger.type === 'error' && !interrupting) {
    report.add(element, 'START_EVENT', 'An event sub-process that catches errors always interrupts.');
    return null;
  }
  const schema = extension(element, 'kethub:RequestSchema');
  if (schema !== null && (!inProcess || trigger.type !== 'none')) {
    report.add(element, 'REQUEST_SCHEMA', 'Only the plain start event of a process has a Request Schema.');
    return null;
  }
  const requestSchema = schema === null ? null : requestSchemaOf(report, element, text(schema, 'body') ?? '');
  return { kind: 'startEvent', trigger, interrupting, requestSchema };
}

/** Parses a Request Schema. The validator of requests checks its keywords. */
function requestSchemaOf(report: Report, element: Element, body: string): { [keyword: string]: Value } | null {
  const problem = (message: string): void => report.add(element, 'REQUEST_SCHEMA', message);
  if (body.length > limits.requestSchema) {
    problem(`The Request Schema has ${body.length} characters, and ${limits.requestSchema} are allowed.`);
    return null;
  }
  try {
    const schema: unknown = JSON.parse(body);
    if (typeof schema === 'object' && schema !== null && !Array.isArray(schema))
      return schema as { [keyword: string]: Value };
    problem('The Request Schema has to be a JSON object.');
  } catch (error) {
    problem(`The Request Schema is not JSON: ${error instanceof Error ? error.message : 'unknown reason'}`);
  }
  return null;
}

/**
 * Returns whether an end event here is one of the process itself. One in an event sub-process of the process is,
 * because a process that was interrupted ends so.
 */
export function endsProcess({ id, nodes }: ProcessDraft, { scope }: Draft): boolean {
  const around = nodes.get(scope);
  return scope === id || (around?.scope === id && flag(around.element, 'triggeredByEvent', false));
}

export function endEventOf(
  process: ProcessDraft,
  draft: Draft,
): Own<'endEvent' | 'terminateEndEvent' | 'errorEndEvent' | 'escalationEvent' | 'messageEvent' | 'signalEvent'> | null {
  const { report } = process;
  const { element } = draft;
  const [definition, second] = children(element, 'eventDefinitions');
  if (second !== undefined) {
    report.add(element, 'UNSUPPORTED_EVENT', 'An event can have one event definition only.');
    return null;
  }
  const result = endsProcess(process, draft);
  if (definition === undefined) return { kind: 'endEvent', result };
  if (definition.$type === 'bpmn:TerminateEventDefinition') return { kind: 'terminateEndEvent', result };
  if (definition.$type === 'bpmn:ErrorEventDefinition')
    return errorEndEventOf(report, element, child(definition, 'errorRef'));
  if (definition.$type === 'bpmn:EscalationEventDefinition')
    return escalationEventOf(report, element, definition, result);
  if (definition.$type === 'bpmn:MessageEventDefinition') return messageEventOf(report, element, definition, result);
  if (definition.$type === 'bpmn:SignalEventDefinition') return signalEventOf(report, element, definition, result);
  const kind = kindName(definition.$type).replace(' event definition', '');
  report.add(
    element,
    'UNSUPPORTED_EVENT',
    `An end event with ${withArticle(kind).toLowerCase()} is not run here; plain, error, escalation, message, signal and terminate end events are.`,
  );
  return null;
}

function escalationEventOf(
  report: Report,
  element: Element,
  definition: Element,
  result: boolean,
): Own<'escalationEvent'> | null {
  const code = escalationCode(definition);
  if (code !== null && !code.startsWith('=')) return { kind: 'escalationEvent', code, result };
  report.add(element, 'ERROR_CODE', 'An event that throws an escalation needs one with a code that is no expression.');
  return null;
}

function signalEventOf(
  report: Report,
  element: Element,
  definition: Element,
  result: boolean,
): Own<'signalEvent'> | null {
  const signal = signalOf(report, element, definition, true);
  return signal && { kind: 'signalEvent', signal, result };
}

/** Compiles a throwing event: plain, a link, an escalation, a message, or a signal. */
export function throwEventOf(
  report: Report,
  { element }: Draft,
): Own<'task' | 'escalationEvent' | 'messageEvent' | 'signalEvent'> | null {
  const [definition, second] = children(element, 'eventDefinitions');
  if (definition === undefined || (isLink(element) && second === undefined)) return { kind: 'task' };
  if (definition.$type === 'bpmn:EscalationEventDefinition' && second === undefined)
    return escalationEventOf(report, element, definition, false);
  if (definition.$type === 'bpmn:MessageEventDefinition' && second === undefined)
    return messageEventOf(report, element, definition, false);
  if (definition.$type === 'bpmn:SignalEventDefinition' && second === undefined)
    return signalEventOf(report, element, definition, false);
  const kind = withArticle(kindName(definition.$type).replace(' event definition', '')).toLowerCase();
  const message = `An event that throws ${kind} is not run here; links, escalations, messages, signals, errors and terminate end events are.`;
  report.add(element, 'UNSUPPORTED_EVENT', message);
  return null;
}

function errorEndEventOf(report: Report, element: Element, error: Element | null): Own<'errorEndEvent'> | null {
  const code = error === null ? null : text(error, 'errorCode');
  if (code === null || code === '' || code.startsWith('=')) {
    report.add(element, 'ERROR_CODE', 'An error end event needs an error with a code that is no expression.');
    return null;
  }
  if (code === 'HUB_SERVICE_FAILED' || code === 'WORKFLOW_ERROR' || code === 'SERVICE_FAILED') {
    report.add(
      element,
      'ERROR_CODE',
      `${code} is a code of the platform. Choose another one for errors of this workflow.`,
    );
    return null;
  }
  const holder = extension(element, 'kethub:ErrorMessage');
  const source = holder === null ? null : text(holder, 'expression');
  const message: Expression | null =
    source === null || source === '' ? null : feelOf(report, element, 'EXPRESSION', 'The error message', source);
  return { kind: 'errorEndEvent', code, message };
}

export function boundaryEventOf(report: Report, { element }: Draft): Own<'boundaryEvent'> | null {
  const host = child(element, 'attachedToRef')?.id;
  if (host === undefined) return null;
  const interrupting = flag(element, 'cancelActivity', true);
  const trigger = triggerOf(report, element, {
    timers: interrupting ? ['date', 'duration'] : ['date', 'duration', 'cycle'],
    correlated: true,
    errors: true,
    escalations: child(element, 'attachedToRef')?.$type === 'bpmn:SubProcess',
    none: false,
    payloadHost: host,
  });
  if (trigger === null || trigger.type === 'none') return null;
  if (trigger.type === 'error' && !interrupting) {
    report.add(element, 'BOUNDARY_EVENT', 'A boundary event that catches errors always interrupts.');
    return null;
  }
  return { kind: 'boundaryEvent', host, interrupting, trigger };
}

export function catchEventOf(report: Report, { element, id }: Draft): Own<'catchEvent'> | null {
  const trigger = triggerOf(report, element, {
    timers: ['date', 'duration'],
    correlated: true,
    errors: false,
    escalations: false,
    none: false,
    payloadHost: id,
  });
  return trigger?.type === 'timer' || trigger?.type === 'message' || trigger?.type === 'signal'
    ? { kind: 'catchEvent', trigger }
    : null;
}

/** Compiles a receive task, which waits for a message like an event. */
export function receiveTaskOf(report: Report, { element }: Draft): Own<'catchEvent'> | null {
  if (flag(element, 'instantiate', false)) {
    report.add(
      element,
      'UNSUPPORTED_ELEMENT',
      'A receive task cannot start a process here. Use a message start event.',
    );
    return null;
  }
  const message = messageOf(report, element, child(element, 'messageRef'), true);
  return message === null ? null : { kind: 'catchEvent', trigger: { type: 'message', message } };
}
