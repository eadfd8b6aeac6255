import type { JsonValue, Value } from './values/value.ts';

/** A value as JSON: temporal values and durations as their text, ranges as theirs, functions as null. */
export function toJson(_value: Value): JsonValue {
  return null;
}
