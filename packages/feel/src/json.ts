import type { Meter } from './budget.ts';
import { unitsPerStep } from './cost.ts';
import { FeelBudgetError } from './errors.ts';
import { largeJson } from './large-json.ts';
import { isoText } from './temporal/format.ts';
import type { FeelDateTime, FeelTime } from './values/temporal.ts';
import { kindOf, newContext } from './values/kind.ts';
import { toJsonNumber } from './values/number.ts';
import type { FeelRange, Context, FeelNumber, JsonValue, Value } from './values/value.ts';
import { scalarText } from './values/text.ts';

const DEEPEST = 1000;

/**
 * A value as JSON. Numbers become doubles, or `ExactNumber` where that would round them. Temporal values and durations
 * become the text that `string()` gives, but named zones with their offset, as in
 * `2030-01-31T10:00:00+01:00[Europe/Berlin]`. A range becomes `{"start", "startIncluded", "end", "endIncluded"}`, a
 * secret `{"$secret": field}`, a function null. Objects have no prototype. Throws `FeelBudgetError` for a value nested
 * more than a thousand deep.
 */
export function toJson(value: Value, meter?: Meter, depth = 0): JsonValue {
  if (depth > DEEPEST) throw new FeelBudgetError('depth', `The value is nested more than ${DEEPEST} deep.`);
  // A large value that was read from JSON is given as it is. With a meter somebody pays for a walk through it.
  if (meter === undefined && largeJson(value) !== undefined) return value as JsonValue;
  meter?.spend(typeof value === 'string' ? 1 + Math.ceil(value.length / unitsPerStep.written) : 4);
  switch (kindOf(value)) {
    case 'null':
    case 'function':
      return null;
    case 'boolean':
      return value as boolean;
    case 'number':
      return toJsonNumber(value as FeelNumber);
    case 'list':
      return (value as readonly Value[]).map((item) => toJson(item, meter, depth + 1));
    case 'context':
      return contextToJson(value as Context, meter, depth);
    case 'range':
      return rangeToJson(value as FeelRange, meter, depth);
    case 'secret':
      return { $secret: (value as { field: string }).field };
    case 'time':
    case 'date and time':
      return isoText(value as FeelTime | FeelDateTime);
    default:
      return scalarText(value) ?? null;
  }
}

function contextToJson(context: Context, meter: Meter | undefined, depth: number): JsonValue {
  const object = newContext() as Record<string, JsonValue>;
  for (const name of Object.keys(context)) object[name] = toJson(context[name] ?? null, meter, depth + 1);
  return object;
}

function rangeToJson(range: FeelRange, meter: Meter | undefined, depth: number): JsonValue {
  return {
    start: toJson(range.start ?? null, meter, depth + 1),
    startIncluded: range.startIncluded,
    end: toJson(range.end ?? null, meter, depth + 1),
    endIncluded: range.endIncluded,
  };
}
