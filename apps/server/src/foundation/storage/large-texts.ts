import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RawBuilder } from 'kysely';

/**
 * Characters of a text; a longer one is a parameter of a separate statement, because JSON would copy it three times.
 */
const LARGE = 256 * 1024;

const statements = new WeakSet<RawBuilder<unknown>>();

export function hasLargeText(row: object): boolean {
  return Object.values(row).some((value) => typeof value === 'string' && value.length > LARGE);
}

/** Marks a statement as slow because of a large text. */
export function large<S extends RawBuilder<unknown>>(statement: S): S {
  statements.add(statement);
  return statement;
}

export function isLarge(statement: RawBuilder<unknown>): boolean {
  return statements.has(statement);
}

/** Yields to the event loop before a statement with a large text. */
export async function beforeStatement(statement: RawBuilder<unknown>): Promise<void> {
  if (isLarge(statement)) await nextTurn();
}
