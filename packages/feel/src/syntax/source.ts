import { FeelSyntaxError, type Position } from '../errors.ts';

/** Longest expression, in UTF-16 units: room for large lists and contexts of constants. */
export const LONGEST_SOURCE = 65_536;

/** A span with the line and column of its start, both from 1. */
export function positionOf(source: string, from: number, to: number): Position {
  let line = 1;
  let start = 0;
  for (let at = source.indexOf('\n'); at !== -1 && at < from; at = source.indexOf('\n', at + 1)) {
    line++;
    start = at + 1;
  }
  return { from, to, line, column: from - start + 1 };
}

export function syntaxError(source: string, message: string, from: number, to: number): FeelSyntaxError {
  const position = positionOf(source, from, to);
  return new FeelSyntaxError(`${message} (line ${position.line}, column ${position.column})`, position);
}
