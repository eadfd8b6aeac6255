/** FEEL as Camunda speaks it: compiled once, evaluated often, without side effects and within a budget. */
export * from './compile.ts';
export * from './errors.ts';
export * from './json.ts';
export * from './scope.ts';
export { FeelDate } from './values/date.ts';
export { FeelDateTime } from './values/date-time.ts';
export { DaysDuration, MonthsDuration } from './values/duration.ts';
export { FeelFunction } from './values/function.ts';
export type { Call } from './values/function.ts';
export { FeelRange } from './values/range.ts';
export { Secret } from './values/secret.ts';
export { FeelTime } from './values/time.ts';
export type { Context, FeelNumber, JsonValue, Value } from './values/value.ts';
