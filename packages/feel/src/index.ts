/** FEEL as Camunda speaks it: compiled once, evaluated often, without side effects and within a budget. */
export { decimalOf } from './decimal.ts';
export { builtinCalls, builtinNames, type BuiltinCall } from './builtins/index.ts';
export * from './compile.ts';
export * from './errors.ts';
export { hasInexact, parseExact } from './exact-json.ts';
export type { EvaluateOptions } from './evaluate/run.ts';
export { toJson } from './json.ts';
export { jsonText, largeJson, rememberText, textOnly } from './large-json.ts';
export * from './scope.ts';

export { epochNanoseconds } from './temporal/instants.ts';
export { FeelDateTime } from './values/temporal.ts';

export { ExactNumber } from './values/exact.ts';
export { FeelFunction } from './values/value.ts';

export { Secret } from './values/secret.ts';
export type { JsonValue, Value } from './values/value.ts';
