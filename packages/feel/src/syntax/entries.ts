import { childrenOf } from './analysis.ts';
import type { Node } from './ast.ts';

/**
 * Returns whether the expression can result in a context of which every entry is a value of the function `name`. False
 * only for an expression that never does. Such an expression results in such a value itself, nests one deeper than an
 * entry, or has an entry that reads nothing.
 */
export function canBeEntriesOf(node: Node, name: string): boolean {
  const isCall = (at: Node): boolean => at.kind === 'call' && at.callee.kind === 'name' && at.callee.name === name;
  const calls = (at: Node): boolean => isCall(at) || childrenOf(at).some(calls);
  const readsNothing = (at: Node): boolean =>
    at.kind !== 'name' && at.kind !== 'call' && childrenOf(at).every(readsNothing);

  /** Returns whether `at` can be the value of one entry. */
  function entry(at: Node): boolean {
    if (isCall(at)) return true;
    switch (at.kind) {
      case 'list':
      case 'context':
        return false;
      case 'if':
        return entry(at.consequence) || entry(at.otherwise);
      default:
        return !readsNothing(at);
    }
  }

  function result(at: Node): boolean {
    if (isCall(at)) return false;
    switch (at.kind) {
      case 'context':
        return at.entries.every(({ value }) => entry(value));
      case 'list':
        return false;
      case 'if':
        return result(at.consequence) || result(at.otherwise);
      default:
        return calls(at);
    }
  }

  return result(node);
}
