import type { Value } from './values/value.ts';

/** The names of an expression, looked up one by one and only when they are needed. */
export interface Scope {
  /** The value of a variable, or undefined if there is none of this name. */
  lookup(name: string): Value | undefined;
}

/** The members of an object as variables. Only its own members are seen. */
export function scopeOf(context: { readonly [name: string]: Value }): Scope {
  return { lookup: (name) => (Object.hasOwn(context, name) ? context[name] : undefined) };
}
