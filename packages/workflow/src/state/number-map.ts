/** One entry. */
class Leaf<V> {
  readonly key: number;
  readonly value: V;
  readonly size = 1;

  constructor(key: number, value: V) {
    this.key = key;
    this.value = value;
  }
}

/** Two subtrees whose keys agree above `bit`, the highest one in which they differ. */
class Branch<V> {
  readonly key: number;
  readonly bit: number;
  readonly zero: Tree<V>;
  readonly one: Tree<V>;
  readonly size: number;

  /** `key`: any key of the branch, for the bits above `bit`. */
  constructor(key: number, bit: number, zero: Tree<V>, one: Tree<V>) {
    this.key = key;
    this.bit = bit;
    this.zero = zero;
    this.one = one;
    this.size = zero.size + one.size;
  }
}

type Tree<V> = Leaf<V> | Branch<V>;

/**
 * An immutable map from whole numbers below 2³¹, in ascending order of its keys: a Patricia trie. A change copies one
 * path, about log₂ of the size, and shares all else with the map before. So two maps that have much in common are
 * compared quickly.
 */
export class NumberMap<V> implements Iterable<readonly [number, V]> {
  static readonly #empty = new NumberMap<never>(null);
  readonly #root: Tree<V> | null;

  private constructor(root: Tree<V> | null) {
    this.#root = root;
  }

  static empty<V>(): NumberMap<V> {
    return NumberMap.#empty as NumberMap<unknown> as NumberMap<V>;
  }

  get size(): number {
    return this.#root?.size ?? 0;
  }

  get(key: number): V | undefined {
    let tree = this.#root;
    while (tree instanceof Branch) tree = (key & tree.bit) === 0 ? tree.zero : tree.one;
    return tree?.key === key ? tree.value : undefined;
  }

  has(key: number): boolean {
    return this.get(key) !== undefined;
  }

  set(key: number, value: V): NumberMap<V> {
    return new NumberMap(this.#root === null ? new Leaf(key, value) : put(this.#root, new Leaf(key, value)));
  }

  delete(key: number): NumberMap<V> {
    return this.without(key, key + 1);
  }

  /** Returns a map without the keys from `from` on, below `to`. */
  without(from: number, to: number): NumberMap<V> {
    const root = this.#root && drop(this.#root, from, to);
    return root === this.#root ? this : root === null ? NumberMap.empty() : new NumberMap(root);
  }

  /** The smallest key from `from` on. */
  first(from = 0): number | undefined {
    for (const [key] of this.range(from)) return key;
    return undefined;
  }

  /** The entries with keys from `from` on, below `to`. */
  *range(from = 0, to = Infinity): Generator<readonly [number, V]> {
    const open = this.#root === null ? [] : [this.#root];
    for (let tree = open.pop(); tree !== undefined; tree = open.pop()) {
      if (highest(tree) < from || lowest(tree) >= to) continue;
      if (tree instanceof Branch) open.push(tree.one, tree.zero);
      else yield [tree.key, tree.value];
    }
  }

  [Symbol.iterator](): Generator<readonly [number, V]> {
    return this.range();
  }

  *keys(): Generator<number> {
    for (const [key] of this) yield key;
  }

  *values(): Generator<V> {
    for (const [, value] of this) yield value;
  }

  /** The keys whose values are not identical in both maps. Shared subtrees are skipped. */
  *changed(before: NumberMap<V>): Generator<number> {
    if (this.#root === null || before.#root === null) {
      yield* this.keys();
      yield* before.keys();
    } else yield* differences(before.#root, this.#root);
  }
}

const lowest = (tree: Tree<unknown>): number => (tree instanceof Branch ? tree.key & ~((tree.bit << 1) - 1) : tree.key);
const highest = (tree: Tree<unknown>): number => (tree instanceof Branch ? tree.key | ((tree.bit << 1) - 1) : tree.key);

/** Returns whether a key agrees with those of a branch above its bit. */
const fits = (key: number, { key: other, bit }: Branch<unknown>): boolean => ((key ^ other) & ~((bit << 1) - 1)) === 0;

function join<V>(one: Tree<V>, other: Tree<V>): Branch<V> {
  const bit = 1 << (31 - Math.clz32(one.key ^ other.key));
  return (one.key & bit) === 0 ? new Branch(one.key, bit, one, other) : new Branch(one.key, bit, other, one);
}

function put<V>(tree: Tree<V>, leaf: Leaf<V>): Tree<V> {
  if (!(tree instanceof Branch)) return tree.key === leaf.key ? leaf : join(tree, leaf);
  if (!fits(leaf.key, tree)) return join(tree, leaf);
  const { key, bit, zero, one } = tree;
  return (leaf.key & bit) === 0
    ? new Branch(key, bit, put(zero, leaf), one)
    : new Branch(key, bit, zero, put(one, leaf));
}

function drop<V>(tree: Tree<V>, from: number, to: number): Tree<V> | null {
  if (highest(tree) < from || lowest(tree) >= to) return tree;
  if (!(tree instanceof Branch)) return null;
  if (lowest(tree) >= from && highest(tree) < to) return null;
  const zero = drop(tree.zero, from, to);
  const one = drop(tree.one, from, to);
  if (zero === tree.zero && one === tree.one) return tree;
  return zero === null || one === null ? (zero ?? one) : new Branch(tree.key, tree.bit, zero, one);
}

function* keysOf(tree: Tree<unknown>): Generator<number> {
  if (tree instanceof Branch) {
    yield* keysOf(tree.zero);
    yield* keysOf(tree.one);
  } else yield tree.key;
}

function* differences<V>(before: Tree<V>, after: Tree<V>): Generator<number> {
  if (before === after) return;
  if (before instanceof Branch && (!(after instanceof Branch) || before.bit > after.bit)) {
    yield* besides(before, after, differences);
  } else if (after instanceof Branch && (!(before instanceof Branch) || after.bit > before.bit)) {
    yield* besides(after, before, (inner, other) => differences(other, inner));
  } else if (before instanceof Branch && after instanceof Branch && fits(before.key, after)) {
    yield* differences(before.zero, after.zero);
    yield* differences(before.one, after.one);
  } else if (before instanceof Branch || after instanceof Branch || before.key !== after.key) {
    yield* keysOf(before);
    yield* keysOf(after);
  } else if (before.value !== after.value) yield after.key;
}

/** `inner` may lie in one of the two parts of `outer`, which has the higher bit; the other part has no counterpart. */
function* besides<V>(
  outer: Branch<V>,
  inner: Tree<V>,
  compare: (part: Tree<V>, inner: Tree<V>) => Generator<number>,
): Generator<number> {
  if (!fits(inner.key, outer)) {
    yield* keysOf(outer);
    yield* keysOf(inner);
    return;
  }
  const isZero = (inner.key & outer.bit) === 0;
  yield* compare(isZero ? outer.zero : outer.one, inner);
  yield* keysOf(isZero ? outer.one : outer.zero);
}
