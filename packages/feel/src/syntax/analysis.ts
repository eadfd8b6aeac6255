import type { Iterator, Node } from './ast.ts';

/** What an expression reads and calls. */
export interface Uses {
  variables: ReadonlySet<string>;
  calls: ReadonlySet<string>;
}

/** Finds the names that an expression does not bind itself. In a filter, a name may also be a member of the items. */
export function usesOf(node: Node): Uses {
  const uses = { variables: new Set<string>(), calls: new Set<string>() };
  visit(node, new Set(), uses);
  return uses;
}

type Mutable = { variables: Set<string>; calls: Set<string> };

function visit(node: Node, bound: ReadonlySet<string>, uses: Mutable): void {
  const all = (nodes: readonly Node[], names: ReadonlySet<string> = bound): void => {
    for (const inner of nodes) visit(inner, names, uses);
  };
  switch (node.kind) {
    case 'constant':
      return;
    case 'name':
      if (!bound.has(node.name)) uses.variables.add(node.name);
      return;
    case 'call':
      if (node.callee.kind === 'name' && !bound.has(node.callee.name)) uses.calls.add(node.callee.name);
      else all([node.callee]);
      return all(node.args);
    case 'filter':
      all([node.of]);
      return all([node.by], binding(bound, ['item']));
    case 'context': {
      const inner = new Set(bound);
      for (const { key, value } of node.entries) {
        visit(value, inner, uses);
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
      return all([node.body], binding(visitIterators(node.iterators, bound, uses), ['partial']));
    case 'some':
    case 'every':
      return all([node.condition], visitIterators(node.iterators, bound, uses));
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
): ReadonlySet<string> {
  let inner = bound;
  for (const { name, domain, end } of iterators) {
    visit(domain, inner, uses);
    if (end) visit(end, inner, uses);
    inner = binding(inner, [name]);
  }
  return inner;
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
