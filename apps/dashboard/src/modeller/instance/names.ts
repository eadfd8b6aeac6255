import type { Row } from '../outline/tree.ts';

/** Names of elements by id. An element without a name is not there. */
export type Names = ReadonlyMap<string, string>;

/** The elements of a diagram: their names, and the rows of its outline. */
export interface DrawnElements {
  readonly names: Names;
  readonly rows: readonly Row[];
}
export const NOTHING_DRAWN: DrawnElements = { names: new Map(), rows: [] };
