import { jsonText, toJson } from '@kethub/feel';
import type { NodeOf, ThrownMessage } from '../graph.ts';
import { add, parseDuration } from '../time.ts';
import type { ElementInstance, Variables } from '../types.ts';
import { isTooDeep, MAX_DEPTH } from './depth.ts';
import { evaluate, evaluateText } from './evaluate.ts';
import { Failure } from './failure.ts';
import { limits } from './limits.ts';
import type { Machine } from './machine.ts';
import { scopeAt } from './variables.ts';
import { keyOf, signalNameOf } from './waits.ts';

const incident = 'EXTRACT_VALUE_ERROR';

/**
 * Publishes a message with the variables of the event, and completes the event. Everything is judged before the message
 * is thrown: an event with an incident has published nothing.
 */
export function throwMessage(
  machine: Machine,
  { key, elementId, variables }: Readonly<ElementInstance>,
  { message }: NodeOf<'messageEvent'>,
): void {
  const what = 'The name of the message';
  const name = evaluateText(machine, message.name, scopeAt(machine.state, key), { what, incident });
  const messageName = requireText(what, name);
  const correlationKey =
    message.correlationKey === null
      ? ''
      : requireText('The correlation key', keyOf(machine, key, message.correlationKey));
  const timeToLiveMs = timeToLiveOf(machine, key, message);
  spend(machine, bytesOf('message', variables, limits.messageBytes));
  machine.effects.push({
    type: 'publishMessage',
    message: machine.newKey(),
    elementId,
    messageName,
    correlationKey,
    timeToLiveMs,
    variables,
  });
  machine.push({ do: 'complete', element: key });
}

/** Broadcasts a signal with the variables of the event, and completes the event, in the same way. */
export function throwSignal(
  machine: Machine,
  { key, elementId, variables }: Readonly<ElementInstance>,
  { signal }: NodeOf<'signalEvent'>,
): void {
  const signalName = requireText('The name of the signal', signalNameOf(machine, key, signal));
  spend(machine, bytesOf('signal', variables, limits.signalBytes));
  machine.effects.push({ type: 'broadcastSignal', signal: machine.newKey(), elementId, signalName, variables });
  machine.push({ do: 'complete', element: key });
}

const utf8 = new TextEncoder();

function bytesOf(what: 'message' | 'signal', variables: Variables, most: number): number {
  if (isTooDeep(variables))
    throw new Failure(incident, `The variables of the ${what} are nested more than ${MAX_DEPTH} deep.`);
  const bytes = utf8.encode(jsonText(variables)).length;
  if (bytes <= most) return bytes;
  const text = `The variables of the ${what} need ${bytes} bytes; at most ${most} are sent. Map less into it.`;
  throw new Failure(incident, text);
}

function spend(machine: Machine, bytes: number): void {
  machine.transitions += limits.messageTransitions - 1 + Math.floor(bytes / limits.messageBytesPerTransition);
}

function requireText(what: string, text: string): string {
  if (text.length <= limits.messageName && !text.includes('\0')) return text;
  const message = `${what} may have at most ${limits.messageName} characters, none of them U+0000; it has ${text.length}.`;
  throw new Failure(incident, message);
}

/** Counted from now, so that a month is as long as the one that begins. */
function timeToLiveOf(machine: Machine, key: number, { timeToLive }: ThrownMessage): number | null {
  if (timeToLive === null) return null;
  const what = 'The time to live of the message';
  const { value, noticed } = evaluate(machine, timeToLive, scopeAt(machine.state, key), { what, incident });
  const json = toJson(value);
  const duration = typeof json === 'string' ? parseDuration(json) : null;
  const milliseconds = duration === null ? Number.NaN : add(machine.env.now, duration) - machine.env.now;
  if (milliseconds >= 1_000 && milliseconds <= limits.messageMs) return milliseconds;
  throw new Failure(incident, `${what} has to be a duration from a second to seven days, such as PT1H${noticed}.`);
}
