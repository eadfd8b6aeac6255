/** A compiled expression; see packages/feel. */
export interface Expression {
  readonly source: string;
}
