import { ExactNumber, largeJson } from '@kethub/feel';
import type { Event, Value } from '../types.ts';

/**
 * Nesting depth of a value. A deeper one cannot be written as JSON on every stack, and is refused or fails its task.
 */
export const MAX_DEPTH = 200;

/** Returns whether lists and objects are nested more than 200 deep in a value. Does not recurse. */
export function isTooDeep(value: Value | undefined): boolean {
  const open: { readonly value: Value | undefined; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null || next.value instanceof ExactNumber) continue;
    if (next.depth >= MAX_DEPTH) return true;
    const large = largeJson(next.value);
    if (large !== undefined) {
      if (next.depth + large.levels > MAX_DEPTH) return true;
      continue;
    }
    const members: readonly Value[] = Array.isArray(next.value) ? next.value : Object.values(next.value);
    for (const inner of members) {
      if (typeof inner === 'object' && inner !== null) open.push({ value: inner, depth: next.depth + 1 });
    }
  }
  return false;
}

/**
 * The value in an event, if it has one. A result that is too deep fails its task. Any other value that is too deep must
 * be refused where it comes from; here the event counts as one that never happened.
 */
export function valueOf(event: Event): Value | undefined {
  switch (event.type) {
    case 'jobSucceeded':
      return event.result;
    case 'jobFailed':
      return event.response;
    case 'start':
    case 'messageCorrelated':
    case 'signalReceived':
    case 'setVariables':
      return event.variables;
    case 'childEnded':
      return event.outcome.type === 'completed' ? event.outcome.variables : undefined;
    default:
      return undefined;
  }
}
