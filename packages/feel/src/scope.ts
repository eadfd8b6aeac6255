import type { Value } from './values/value.ts';

/** Where the names of an expression are looked up, one by one and only when they are needed. */
export interface Scope {
  /** The value of a variable, or undefined if there is none of this name. */
  lookup(name: string): Value | undefined;
}

/** The members of an object as variables. Only its own members are seen. */
export function scopeOf(context: { readonly [name: string]: Value }): Scope {
  return { lookup: (name) => (Object.hasOwn(context, name) ? context[name] : undefined) };
}

/** Looks into the first scope, then into the next ones. */
export function chainScopes(...scopes: readonly Scope[]): Scope {
  return {
    lookup(name) {
      for (const scope of scopes) {
        const value = scope.lookup(name);
        if (value !== undefined) return value;
      }
      return undefined;
    },
  };
}
