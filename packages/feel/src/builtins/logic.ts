import { equal } from '../values/equality.ts';
import { kindOf } from '../values/kind.ts';
import type { Value } from '../values/value.ts';
import { FeelDateTime, FeelTime } from '../values/temporal.ts';
import { Builtin, signature } from './builtin.ts';

/** `fromAi` marks a value for tools outside, and returns the value itself. */
const marked = (_call: unknown, value: Value): Value => value;

function zoneOf(value: Value): unknown {
  if (value instanceof FeelDateTime) return value.time.zone;
  return value instanceof FeelTime ? value.zone : null;
}

export const logic: readonly (readonly [string, Builtin])[] = [
  ['not', new Builtin([signature(['negand: boolean'], (_call, negand) => !negand)])],
  ['is defined', new Builtin([signature(['value: any'], (_call, value) => value !== null)])],
  ['get or else', new Builtin([signature(['value: any', 'default: any'], (_call, value, other) => value ?? other)])],
  [
    'is',
    new Builtin([
      signature(['value1: any', 'value2: any'], (call, left, right) => {
        return (
          kindOf(left) === kindOf(right) && zoneOf(left) === zoneOf(right) && equal(left, right, call.meter) === true
        );
      }),
    ]),
  ],
  [
    'assert',
    new Builtin([
      signature(['value: any', 'condition: any', 'cause: string?'], (call, value, condition, cause) => {
        if (condition === true) return value;
        return call.run.warn('ASSERT_FAILURE', cause ?? 'The condition is not fulfilled.', call.span);
      }),
    ]),
  ],
  [
    'fromAi',
    new Builtin([
      signature(['value: any', 'description: any?', 'type: any?', 'schema: any?', 'options: any?'], marked),
    ]),
  ],
];
