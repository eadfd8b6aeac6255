import { nextOfCron } from '../cron.ts';
import { parseDate, parseDuration, parseCycle } from '../time.ts';
import type { Expression } from '../expression.ts';
import type { MessageDefinition, SignalDefinition, TimerDefinition, Trigger } from '../graph.ts';
import { child, children, extension, kindName, text, type Element } from './element.ts';
import { expressionOf } from './expressions.ts';
import { isPayloadVariable } from './names.ts';
import type { Report } from './report.ts';

/** Rules for a trigger, which depend on the event that has it. */
interface TriggerRules {
  readonly timers: readonly TimerDefinition['kind'][];
  /** False at start events of a process: their messages have no key, and names are no expressions. */
  readonly correlated: boolean;
  readonly errors: boolean;
  readonly escalations: boolean;
  readonly none: boolean;
  /** Before `_serviceError` in the name of the variable that takes an error. */
  readonly payloadHost: string;
}

/** Compiles the trigger of an event. Returns null, and reports a problem of the event, when it cannot run here. */
export function triggerOf(report: Report, event: Element, rules: TriggerRules): Trigger | null {
  const definitions = children(event, 'eventDefinitions');
  const [definition, second] = definitions;
  if (second !== undefined || children(event, 'eventDefinitionRef').length > 0) {
    report.add(event, 'UNSUPPORTED_EVENT', 'An event can have one event definition only.');
    return null;
  }
  if (definition === undefined) {
    if (rules.none) return { type: 'none' };
    report.add(event, 'UNSUPPORTED_EVENT', 'This event needs an event definition: what does it wait for?');
    return null;
  }
  switch (definition.$type) {
    case 'bpmn:TimerEventDefinition': {
      const timer = timerOf(report, event, definition, rules);
      return timer === null ? null : { type: 'timer', timer };
    }
    case 'bpmn:MessageEventDefinition': {
      const message = messageOf(report, event, child(definition, 'messageRef'), rules.correlated);
      return message === null ? null : { type: 'message', message };
    }
    case 'bpmn:SignalEventDefinition': {
      const signal = signalOf(report, event, definition, rules.correlated);
      return signal === null ? null : { type: 'signal', signal };
    }
    case 'bpmn:ErrorEventDefinition':
      if (rules.errors) return errorOf(report, event, definition, rules);
      break;
    case 'bpmn:EscalationEventDefinition':
      if (rules.escalations) return escalationOf(report, event, definition);
      break;
    default:
  }
  const kind = kindName(definition.$type).replace(' event definition', '');
  report.add(
    event,
    'UNSUPPORTED_EVENT',
    `This event cannot wait for: ${kind}. Use a timer, a message, a signal or, on boundaries, an error; escalations are caught on sub-processes and by event sub-processes.`,
  );
  return null;
}

const timerKinds = { date: 'timeDate', duration: 'timeDuration', cycle: 'timeCycle' } as const;
export const examples = { date: '2030-01-31T12:00:00Z', duration: 'PT15M', cycle: 'R3/PT1H' } as const;

function timerOf(report: Report, event: Element, definition: Element, rules: TriggerRules): TimerDefinition | null {
  const given = (['date', 'duration', 'cycle'] as const).filter((kind) => child(definition, timerKinds[kind]) !== null);
  const [kind] = given;
  if (kind === undefined || given.length > 1) {
    report.add(event, 'TIMER', 'A timer needs exactly one of date, duration and cycle.');
    return null;
  }
  if (!rules.timers.includes(kind)) {
    report.add(event, 'TIMER', `A timer of this event can be given by ${rules.timers.join(' or ')}, not by ${kind}.`);
    return null;
  }
  const holder = child(definition, timerKinds[kind]);
  const source = (holder === null ? '' : (text(holder, 'body') ?? '')).trim();
  const value = expressionOf(report, event, `The ${kind} of the timer`, source);
  if (value === null) return null;
  if (value.compiled === null && !isTime(kind, source)) {
    const cron =
      kind === 'cycle' ? ', a cron expression such as 0 0 9 * * MON-FRI (L, W and # are not known here)' : '';
    const message = `The ${kind} of the timer has to be in ISO 8601, such as ${examples[kind]}${cron}, or an expression that starts with "=".`;
    report.add(event, 'TIMER', message, source);
    return null;
  }
  return { kind, value };
}

/** Any moment: whether a cron expression names a day does not depend on it. */
const ANY_TIME = Date.UTC(2030, 0, 1);

function isTime(kind: TimerDefinition['kind'], source: string): boolean {
  if (kind === 'date') return parseDate(source) !== null;
  if (kind === 'duration') return parseDuration(source) !== null;
  return parseCycle(source) !== null || nextOfCron(source, ANY_TIME) !== null;
}

/** The message of an event or a receive task. */
export function messageOf(
  report: Report,
  event: Element,
  message: Element | null,
  correlated: boolean,
): MessageDefinition | null {
  const name = messageNameOf(report, event, message);
  const nameText = message === null ? null : text(message, 'name');
  if (message === null || nameText === null || nameText.trim() === '') return null;
  if (!correlated) {
    if (name?.compiled == null) return name === null ? null : { name, correlationKey: null };
    report.add(event, 'MESSAGE', 'The message of a start event has to have a name that is no expression.', nameText);
    return null;
  }
  const subscription = extension(message, 'zeebe:Subscription');
  const source = subscription === null ? null : text(subscription, 'correlationKey');
  if (source === null || source.trim() === '') {
    report.add(
      event,
      'MESSAGE',
      `The message ${nameText} needs a correlation key: what tells which instance is meant?`,
    );
    return null;
  }
  const correlationKey: Expression | null = expressionOf(report, event, 'The correlation key', source);
  return name === null || correlationKey === null ? null : { name, correlationKey };
}

/** The name of a message, a text or an expression. Null, and a problem of the event, when it has none. */
export function messageNameOf(report: Report, event: Element, message: Element | null): Expression | null {
  const name = message === null ? null : text(message, 'name');
  if (name !== null && name.trim() !== '') return expressionOf(report, event, 'The name of the message', name);
  report.add(event, 'MESSAGE', 'A message event needs a message with a name.');
  return null;
}

/** The signal of an event. At start events of a process its name is no expression: there are no variables to read. */
export function signalOf(
  report: Report,
  event: Element,
  definition: Element,
  mayBeExpression: boolean,
): SignalDefinition | null {
  const signal = child(definition, 'signalRef');
  const source = signal === null ? null : text(signal, 'name');
  if (source === null || source.trim() === '') {
    report.add(event, 'SIGNAL', 'A signal event needs a signal with a name.');
    return null;
  }
  const name = expressionOf(report, event, 'The name of the signal', source);
  if (name === null || mayBeExpression || name.compiled === null) return name && { name };
  report.add(event, 'SIGNAL', 'The signal of a start event has to have a name that is no expression.', source);
  return null;
}

/** The code of an escalation; null: of every one. */
function escalationOf(report: Report, event: Element, definition: Element): Trigger | null {
  const code = escalationCode(definition);
  if (code?.startsWith('=') !== true) return { type: 'escalation', code };
  const message = 'The code of an escalation cannot be an expression. To catch every escalation, remove it.';
  report.add(event, 'ERROR_CODE', message);
  return null;
}

export function escalationCode(definition: Element): string | null {
  const escalation = child(definition, 'escalationRef');
  return (escalation === null ? null : text(escalation, 'escalationCode')) || null;
}

function errorOf(report: Report, event: Element, definition: Element, rules: TriggerRules): Trigger | null {
  const error = child(definition, 'errorRef');
  // An error without a code stands for every error.
  const code = (error === null ? null : text(error, 'errorCode')) || null;
  if (code?.startsWith('=') === true) {
    const message = 'The code of the error that is caught cannot be an expression. To catch every error, remove it.';
    report.add(event, 'ERROR_CODE', message);
    return null;
  }
  if (code === 'HUB_SERVICE_FAILED' || code === 'WORKFLOW_ERROR') {
    const message =
      code === 'HUB_SERVICE_FAILED'
        ? 'HUB_SERVICE_FAILED is what the result of a workflow says. The code by which a failed service is caught is SERVICE_FAILED.'
        : 'WORKFLOW_ERROR is what the result of a workflow says of a mistake in the workflow itself. It cannot be caught.';
    report.add(event, 'ERROR_CODE', message);
    return null;
  }
  const payload = extension(event, 'kethub:Payload');
  const chosen = payload === null ? null : text(payload, 'variable');
  const payloadVariable = chosen ?? `${rules.payloadHost}_serviceError`;
  if (!isPayloadVariable(payloadVariable)) {
    const rule = 'letters, digits and underscores, and start with a letter or an underscore';
    const message =
      chosen === null
        ? `The error would be kept in the variable ${payloadVariable}, whose name may only have ${rule}. Give this event a payload variable, or the element another id.`
        : `The payload variable ${chosen} may only have ${rule}.`;
    report.add(event, 'PAYLOAD_VARIABLE', message);
    return null;
  }
  return { type: 'error', code, payloadVariable };
}
