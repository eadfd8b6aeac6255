import type { Own } from '../graph.ts';
import { parseDuration } from '../time.ts';
import { child, children, extension, text, type Element } from './element.ts';
import { expressionOf } from './expressions.ts';
import type { Report } from './report.ts';
import { messageNameOf } from './triggers.ts';

/**
 * Compiles an event that throws a message. Its key is that of `kethub:publish`, else the one by which the message is
 * awaited, evaluated at the event.
 */
export function messageEventOf(
  report: Report,
  event: Element,
  definition: Element,
  result: boolean,
): Own<'messageEvent'> | null {
  const message = child(definition, 'messageRef');
  const name = messageNameOf(report, event, message);
  const publish = extension(event, 'kethub:Publish');
  const subscription = message === null ? null : extension(message, 'zeebe:Subscription');
  const attribute = (holder: Element | null, property: string) => (holder && text(holder, property)?.trim()) || null;
  const keySource = attribute(publish, 'correlationKey') ?? attribute(subscription, 'correlationKey');
  const timeSource = attribute(publish, 'timeToLive');
  const correlationKey = keySource === null ? null : expressionOf(report, event, 'The correlation key', keySource);
  const timeToLive = timeSource === null ? null : expressionOf(report, event, 'The time to live', timeSource);
  if (timeToLive?.compiled === null && parseDuration(timeToLive.source) === null) {
    const sentence =
      'The time to live of a message has to be a duration in ISO 8601, such as PT1H, or an expression that starts with "=".';
    report.add(event, 'MESSAGE', sentence, timeToLive.source);
    return null;
  }
  const isWrong = (keySource !== null && correlationKey === null) || (timeSource !== null && timeToLive === null);
  return name === null || isWrong
    ? null
    : { kind: 'messageEvent', message: { name, correlationKey, timeToLive }, result };
}

/** Returns whether an event throws a message: only such an event says how it is published. */
export const throwsMessage = (event: Element): boolean => throws(event, 'bpmn:MessageEventDefinition');

/** Returns whether an event broadcasts a signal. */
export const throwsSignal = (event: Element): boolean => throws(event, 'bpmn:SignalEventDefinition');

function throws(event: Element, definition: string): boolean {
  return (
    (event.$type === 'bpmn:IntermediateThrowEvent' || event.$type === 'bpmn:EndEvent') &&
    children(event, 'eventDefinitions').some(({ $type }) => $type === definition)
  );
}
