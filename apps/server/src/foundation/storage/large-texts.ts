import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RawBuilder } from 'kysely';

/** A longer text is a parameter of its own, in a statement of its own: written as JSON among others it would be copied three times. In characters. */
const LARGE = 256 * 1024;

const statements = new WeakSet<RawBuilder<unknown>>();

export function hasLargeText(row: object): boolean {
  return Object.values(row).some((value) => typeof value === 'string' && value.length > LARGE);
}

/** Marks a statement that takes long because of a large text. */
export function large<S extends RawBuilder<unknown>>(statement: S): S {
  statements.add(statement);
  return statement;
}

export function isLarge(statement: RawBuilder<unknown>): boolean {
  return statements.has(statement);
}

/** Others have their turn of the thread before a statement that takes long. */
export async function beforeStatement(statement: RawBuilder<unknown>): Promise<void> {
  if (isLarge(statement)) await nextTurn();
}
