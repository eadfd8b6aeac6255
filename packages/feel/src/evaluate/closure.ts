import type { Node } from '../syntax/ast.ts';
import type { Value } from '../values/value.ts';
import type { Env } from './run.ts';

/** A compiled node, to be evaluated many times. */
export type Closure = (env: Env) => Value;

/** Compiles a node. Passed to the compilers of the single kinds, which contain other nodes. */
export type Compile = (node: Node) => Closure;

/** The nodes that can be of a kind. */
export type NodeOf<K extends Node['kind'], N = Node> = N extends { kind: Node['kind'] }
  ? K extends N['kind']
    ? N
    : never
  : never;
