import type { Builtin } from './builtin.ts';
import { aggregates } from './aggregates.ts';
import { contexts } from './contexts.ts';
import { conversion } from './conversion.ts';
import { lists } from './lists.ts';
import { logic } from './logic.ts';
import { numbers } from './numbers.ts';
import { ranges } from './ranges.ts';
import { strings } from './strings.ts';
import { temporal } from './temporal.ts';

const builtins: ReadonlyMap<string, Builtin> = new Map([
  ...aggregates,
  ...contexts,
  ...conversion,
  ...lists,
  ...logic,
  ...numbers,
  ...ranges,
  ...strings,
  ...temporal,
]);

export function findBuiltin(name: string): Builtin | undefined {
  return builtins.get(name);
}

/** The names of all functions that come with the language. */
export const builtinNames: readonly string[] = [...builtins.keys()].filter((name) => name !== '@').sort();
