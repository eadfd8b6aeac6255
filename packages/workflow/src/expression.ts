import type { CompiledExpression } from '@kethub/feel';

/** A value in a workflow file that may be an expression: FEEL after `=`, else the text itself. */
export type Expression =
  | { readonly source: string; readonly compiled: CompiledExpression }
  | { readonly source: string; readonly compiled: null };
