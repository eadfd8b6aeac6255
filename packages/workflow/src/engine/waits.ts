import { ExactNumber, toJson } from '@kethub/feel';
import { nextOfCron } from '../cron.ts';
import { add, momentOf, parseCycle, parseDate, parseDuration } from '../time.ts';
import type { Expression } from '../expression.ts';
import type { MessageDefinition, SignalDefinition, TimerDefinition, Trigger } from '../graph.ts';
import type { OpenTimer, SubscribedTo } from '../types.ts';
import { evaluate, evaluateText, kindOf } from './evaluate.ts';
import { Failure } from './failure.ts';
import type { Machine, NewSubscription } from './machine.ts';
import { scopeAt } from './variables.ts';

/** An event that can happen to an element: the node that catches it, and what it waits for. */
export interface Awaited {
  readonly event: string;
  readonly trigger: Trigger;
}

type Opening = { readonly timer: Omit<OpenTimer, 'timer'> } | { readonly subscription: NewSubscription };

/**
 * Opens the timers and subscriptions of an element that are not open yet. Everything is evaluated before anything is
 * opened. Names and times are evaluated at the element, correlation keys at `keyScope`.
 */
export function openWaits(machine: Machine, key: number, awaited: readonly Awaited[], keyScope = key): void {
  const open = machine.waitsOf(key);
  const openings = awaited.filter(({ event }) => !open.has(event)).flatMap(openingOf);
  for (const opening of openings) {
    if ('timer' in opening) machine.setTimer(opening.timer);
    else machine.openSubscription(opening.subscription);
  }

  function openingOf({ event, trigger }: Awaited): Opening[] {
    if (trigger.type === 'timer')
      return [{ timer: { element: key, elementId: event, ...dueOf(machine, key, trigger.timer) } }];
    const own = { element: key, elementId: event };
    if (trigger.type === 'signal')
      return [{ subscription: { ...own, signalName: signalNameOf(machine, key, trigger.signal) } }];
    if (trigger.type !== 'message') return [];
    return [{ subscription: { ...own, ...messageOf(machine, key, keyScope, trigger.message) } }];
  }
}

function dueOf(
  machine: Machine,
  key: number,
  { kind, value }: TimerDefinition,
): Pick<OpenTimer, 'due' | 'every' | 'left'> {
  const what = `The ${kind} of the timer`;
  const evaluated = evaluate(machine, value, scopeAt(machine.state, key), { what, incident: 'EXTRACT_VALUE_ERROR' });
  const json = toJson(evaluated.value);
  const moment = kind === 'date' ? momentOf(evaluated.value) : null;
  if (moment !== null) return { due: moment };
  const due = typeof json === 'string' ? timeOf(kind, json, machine.env.now) : null;
  if (due !== null) return due;
  const found = typeof json === 'string' ? json.slice(0, 100) : kindOf(json);
  const form = kind === 'cycle' ? 'in ISO 8601 or a cron expression' : 'in ISO 8601';
  throw new Failure('EXTRACT_VALUE_ERROR', `${what} has to be ${form}, and is ${found}${evaluated.noticed}.`);
}

/** Due time of a timer that is set now. A moment in the past is due at once. Null: the text is none. */
export function timeOf(
  kind: TimerDefinition['kind'],
  text: string,
  now: number,
): Pick<OpenTimer, 'due' | 'every' | 'left'> | null {
  if (kind === 'date') {
    const due = parseDate(text);
    return due === null ? null : { due };
  }
  if (kind === 'duration') {
    const duration = parseDuration(text);
    return duration === null ? null : { due: Math.max(now, add(now, duration)) };
  }
  const first = nextOfCron(text, now);
  if (first !== null) return { due: first, every: text, left: -1 };
  const cycle = parseCycle(text);
  if (cycle === null || cycle.times === 0) return null;
  const every = text.slice(text.lastIndexOf('/') + 1);
  return { due: cycle.start ?? add(now, cycle.every), every, left: cycle.times === -1 ? -1 : cycle.times - 1 };
}

/** The next time of a cycle, counted from the last one, so that it does not drift. Null: that was the last. */
export function nextTime({
  due,
  every,
  left,
}: Pick<OpenTimer, 'due' | 'every' | 'left'>): Pick<OpenTimer, 'due' | 'every' | 'left'> | null {
  const next = every === undefined ? null : nextOfCron(every, due);
  if (next !== null) return { due: next, ...(every !== undefined && { every }), left: -1 };
  const duration = every === undefined ? null : parseDuration(every);
  if (duration === null || every === undefined || left === undefined || left === 0) return null;
  return { due: add(due, duration), every, left: left === -1 ? -1 : left - 1 };
}

function messageOf(
  machine: Machine,
  key: number,
  keyScope: number,
  { name, correlationKey }: MessageDefinition,
): SubscribedTo {
  const incident = 'EXTRACT_VALUE_ERROR';
  const messageName = evaluateText(machine, name, scopeAt(machine.state, key), {
    what: 'The name of the message',
    incident,
  });
  return { messageName, correlationKey: correlationKey === null ? '' : keyOf(machine, keyScope, correlationKey) };
}

/** Evaluated where the event waits, or throws. */
export function signalNameOf(machine: Machine, key: number, { name }: SignalDefinition): string {
  const purpose = { what: 'The name of the signal', incident: 'EXTRACT_VALUE_ERROR' } as const;
  return evaluateText(machine, name, scopeAt(machine.state, key), purpose);
}

/** The correlation key of a message: a text that is not empty, or a number. */
export function keyOf(machine: Machine, scope: number, correlationKey: Expression): string {
  const incident = 'EXTRACT_VALUE_ERROR';
  const what = 'The correlation key';
  const { value, noticed } = evaluate(machine, correlationKey, scopeAt(machine.state, scope), { what, incident });
  const json = toJson(value);
  if (typeof json === 'number' || json instanceof ExactNumber || (typeof json === 'string' && json !== ''))
    return String(json);
  throw new Failure(incident, `${what} has to be a text or a number, and is ${kindOf(json)}${noticed}.`);
}
