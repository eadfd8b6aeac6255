/** A span of an expression: offsets in UTF-16 units, and line and column of its start, counted from 1. */
export interface Position {
  from: number;
  to: number;
  line: number;
  column: number;
}

/** The text is not a FEEL expression, or it is larger than the limits allow. */
export class FeelSyntaxError extends Error {
  override readonly name = 'FeelSyntaxError';
  readonly position: Position;

  constructor(message: string, position: Position) {
    super(message);
    this.position = position;
  }
}

/** The part of its budget that an evaluation has used up. */
export type BudgetPart = 'steps' | 'listLength' | 'textLength' | 'depth' | 'digits';

/** An evaluation needed more than its budget. */
export class FeelBudgetError extends Error {
  override readonly name = 'FeelBudgetError';
  readonly part: BudgetPart;

  constructor(part: BudgetPart, message: string) {
    super(message);
    this.part = part;
  }
}

/** The reason for which a part of an expression is null although its grammar is correct. */
export type WarningCode =
  | 'NO_VARIABLE_FOUND'
  | 'NO_CONTEXT_ENTRY_FOUND'
  | 'NO_PROPERTY_FOUND'
  | 'NOT_COMPARABLE'
  | 'INVALID_TYPE'
  | 'NO_FUNCTION_FOUND'
  | 'FUNCTION_INVOCATION_FAILURE'
  | 'INDEX_OUT_OF_RANGE'
  | 'OUT_OF_RANGE'
  | 'ASSERT_FAILURE';

/** A warning of an evaluation about a value that is null. Secrets are never part of a message. */
export interface Warning {
  code: WarningCode;
  message: string;
  position: Position;
}
