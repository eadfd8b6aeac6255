import type { Value } from '../values/value.ts';

/**
 * The span of a node in the source, and the number of nodes in it: what evaluating it costs at most, apart from loops.
 */
interface Base {
  from: number;
  to: number;
  size: number;
  depth: number;
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '**' | '=' | '!=' | '<' | '<=' | '>' | '>=';
export type Relation = '=' | '!=' | '<' | '<=' | '>' | '>=';

export interface Entry {
  key: string;
  value: Node;
}

export interface Iterator {
  name: string;
  /** A list or range, or the first value of a range that is written out. */
  domain: Node;
  end: Node | null;
}

export interface Parameter {
  name: string;
  type: Type | null;
}

/** The type after `instance of` or of a parameter (DMN 1.5, grammar rules 52 to 54). */
export type Type =
  | { kind: 'name'; name: string }
  | { kind: 'list' | 'range'; of: Type }
  | { kind: 'context'; members: readonly { name: string; type: Type }[] }
  | { kind: 'function'; parameters: readonly Type[]; result: Type };

export type Node =
  | (Base & { kind: 'constant'; value: Value })
  | (Base & { kind: 'name'; name: string })
  | (Base & { kind: 'path'; of: Node; name: string })
  | (Base & { kind: 'filter'; of: Node; by: Node })
  | (Base & { kind: 'call'; callee: Node; args: readonly Node[]; names: readonly string[] | null })
  | (Base & { kind: 'list'; items: readonly Node[] })
  | (Base & { kind: 'context'; entries: readonly Entry[] })
  | (Base & { kind: 'function'; parameters: readonly Parameter[]; body: Node })
  | (Base & { kind: 'range'; start: Node; startIncluded: boolean; end: Node; endIncluded: boolean })
  | (Base & { kind: 'test'; relation: Relation; operand: Node })
  | (Base & { kind: 'binary'; operator: BinaryOperator; left: Node; right: Node })
  | (Base & { kind: 'and' | 'or'; left: Node; right: Node })
  | (Base & { kind: 'negate'; operand: Node })
  | (Base & { kind: 'between'; value: Node; low: Node; high: Node })
  | (Base & { kind: 'in'; value: Node; tests: readonly Node[] })
  | (Base & { kind: 'instance'; value: Node; type: Type })
  | (Base & { kind: 'if'; condition: Node; consequence: Node; otherwise: Node })
  | (Base & { kind: 'for'; iterators: readonly Iterator[]; body: Node })
  | (Base & { kind: 'some' | 'every'; iterators: readonly Iterator[]; condition: Node })
  | (Base & { kind: 'tests'; tests: readonly Node[]; negated: boolean });
