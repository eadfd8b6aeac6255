import type { Meter } from '../budget.ts';
import type { Type } from '../syntax/ast.ts';
import { FeelFunction, FeelRange, type Value } from '../values/value.ts';
import { isContext, isList, kindOf, member } from '../values/kind.ts';

const SIMPLE: ReadonlySet<string> = new Set([
  'null',
  'boolean',
  'number',
  'string',
  'date',
  'time',
  'date and time',
  'days and time duration',
  'years and months duration',
  'range',
  'function',
  'list',
  'context',
]);

/** `instance of` (DMN 1.5, 10.3.2.9). Null is an instance of nothing but `null`; undefined if the type is unknown. */
export function isInstance(value: Value, type: Type, meter: Meter): boolean | undefined {
  if (value === null) return type.kind === 'name' && type.name === 'null';
  return conforms(value, type, meter);
}

/** Returns whether a value may stand where a type is asked for: null always may. */
export function conforms(value: Value, type: Type, meter: Meter): boolean | undefined {
  if (value === null) return true;
  meter.spend(1);
  switch (type.kind) {
    case 'name':
      if (type.name === 'Any') return true;
      return SIMPLE.has(type.name) ? kindOf(value) === type.name : undefined;
    case 'list':
      return isList(value) ? every(value, (item) => conforms(item, type.of, meter)) : false;
    case 'range':
      return value instanceof FeelRange
        ? every([value.start ?? null, value.end ?? null], (end) => conforms(end, type.of, meter))
        : false;
    case 'context':
      return isContext(value)
        ? every(type.members, ({ name, type: expected }) => {
            const found = member(value, name);
            return found === undefined ? false : conforms(found, expected, meter);
          })
        : false;
    default:
      return value instanceof FeelFunction && value.parameters.length === type.parameters.length;
  }
}

function every<T>(items: readonly T[], test: (item: T) => boolean | undefined): boolean | undefined {
  for (const item of items) {
    const result = test(item);
    if (result !== true) return result;
  }
  return true;
}
