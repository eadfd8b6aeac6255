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

/** A function of the language with the names of its parameters, `?` behind those that may be left out. */
export interface BuiltinCall {
  readonly name: string;
  readonly parameters: readonly string[];
}

/** The functions that come with the language, each as it is called most simply. */
export const builtinCalls = (): readonly BuiltinCall[] =>
  builtinNames.map((name) => ({
    name,
    parameters: (builtins.get(name)?.signatures[0]?.parameters ?? []).map(
      ({ name: parameter, optional }) => parameter + (optional ? '?' : ''),
    ),
  }));
