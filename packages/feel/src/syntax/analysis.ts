import type { Iterator, Node } from './ast.ts';

/** The names that an expression reads and calls. */
export interface Uses {
  variables: ReadonlySet<string>;
  /** Variables that it cannot do without: not read in a filter, nor by a function that asks whether they are there. */
  needed: ReadonlySet<string>;
  calls: ReadonlySet<string>;
}

/** Finds the names that an expression does not bind itself. In a filter, a name may also be a member of the items. */
export function usesOf(node: Node): Uses {
  const uses = { variables: new Set<string>(), needed: new Set<string>(), calls: new Set<string>() };
  visit(node, new Set(), uses, false);
  return uses;
}

type Mutable = { variables: Set<string>; needed: Set<string>; calls: Set<string> };

/** Functions that test whether their argument is there. */
const ASKING: ReadonlySet<string> = new Set(['get or else', 'is defined']);

/** `maybe`: a name that is not there is no mistake. */
function visit(node: Node, bound: ReadonlySet<string>, uses: Mutable, maybe: boolean): void {
  const all = (nodes: readonly Node[], names: ReadonlySet<string> = bound, asked = maybe): void => {
    for (const inner of nodes) visit(inner, names, uses, asked);
  };
  switch (node.kind) {
    case 'constant':
      return;
    case 'name':
      if (bound.has(node.name)) return;
      uses.variables.add(node.name);
      if (!maybe) uses.needed.add(node.name);
      return;
    case 'call':
      if (node.callee.kind === 'name' && !bound.has(node.callee.name)) uses.calls.add(node.callee.name);
      else all([node.callee]);
      return all(node.args, bound, maybe || (node.callee.kind === 'name' && ASKING.has(node.callee.name)));
    case 'filter':
      all([node.of]);
      return all([node.by], binding(bound, ['item']), true);
    case 'context': {
      const inner = new Set(bound);
      for (const { key, value } of node.entries) {
        visit(value, inner, uses, maybe);
        inner.add(key);
      }
      return;
    }
    case 'function':
      return all(
        [node.body],
        binding(
          bound,
          node.parameters.map((parameter) => parameter.name),
        ),
      );
    case 'for':
      return all([node.body], binding(visitIterators(node.iterators, bound, uses, maybe), ['partial']));
    case 'some':
    case 'every':
      return all([node.condition], visitIterators(node.iterators, bound, uses, maybe));
    case 'in':
      all([node.value]);
      return all(node.tests, binding(bound, ['?']));
    default:
      return all(childrenOf(node));
  }
}

function binding(bound: ReadonlySet<string>, names: readonly string[]): ReadonlySet<string> {
  return new Set([...bound, ...names]);
}

/** Later domains see earlier variables. */
function visitIterators(
  iterators: readonly Iterator[],
  bound: ReadonlySet<string>,
  uses: Mutable,
  maybe: boolean,
): ReadonlySet<string> {
  let inner = bound;
  for (const { name, domain, end } of iterators) {
    visit(domain, inner, uses, maybe);
    if (end) visit(end, inner, uses, maybe);
    inner = binding(inner, [name]);
  }
  return inner;
}

/** Functions that return their arguments unchanged. */
const PASSING: ReadonlySet<string> = new Set(['context', 'context put', 'context merge', 'get or else']);

/**
 * Functions whose values are taken apart, or computed with: not passed on as they are, by themselves or in a context.
 */
export function takenApart(node: Node): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (at: Node, whole: boolean): void => {
    switch (at.kind) {
      case 'call': {
        const name = at.callee.kind === 'name' ? at.callee.name : '';
        if (!whole && name !== '') found.add(name);
        for (const argument of at.args) look(argument, whole && PASSING.has(name));
        return;
      }
      case 'if':
        look(at.condition, false);
        look(at.consequence, whole);
        look(at.otherwise, whole);
        return;
      default:
        for (const inner of childrenOf(at)) look(inner, whole && (at.kind === 'context' || at.kind === 'list'));
    }
  };
  look(node, true);
  return found;
}

/** The nodes directly within a node. */
export function childrenOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'path':
      return [node.of];
    case 'filter':
      return [node.of, node.by];
    case 'call':
      return [node.callee, ...node.args];
    case 'list':
      return node.items;
    case 'context':
      return node.entries.map((entry) => entry.value);
    case 'function':
      return [node.body];
    case 'range':
      return [node.start, node.end];
    case 'test':
    case 'negate':
      return [node.operand];
    case 'binary':
    case 'and':
    case 'or':
      return [node.left, node.right];
    case 'between':
      return [node.value, node.low, node.high];
    case 'in':
      return [node.value, ...node.tests];
    case 'instance':
      return [node.value];
    case 'if':
      return [node.condition, node.consequence, node.otherwise];
    case 'for':
      return [...domainsOf(node.iterators), node.body];
    case 'some':
    case 'every':
      return [...domainsOf(node.iterators), node.condition];
    case 'tests':
      return node.tests;
    default:
      return [];
  }
}

export function domainsOf(iterators: readonly Iterator[]): Node[] {
  return iterators.flatMap(({ domain, end }) => (end ? [domain, end] : [domain]));
}
