import type { CompiledExpression } from '@kethub/feel';

/** What a workflow file says where an expression may stand: FEEL after `=`, or else the text itself. */
export type Expression =
  | { readonly source: string; readonly compiled: CompiledExpression }
  | { readonly source: string; readonly compiled: null };
