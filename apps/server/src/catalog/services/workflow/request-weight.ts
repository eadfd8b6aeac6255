import type { Value } from '@kethub/workflow';
import type { RequestSchema } from '@kethub/service-api/input-rules';

/** Weight for each character of a pattern. A repetition such as `{1000}` unrolls the automaton. */
const OF_CHARACTER = 10;
const OF_REPEATED_CHARACTER = 1_000;
/**
 * Weight of comparing all elements of a list with each other: more than the elements of any list checked outside the
 * thread.
 */
const OF_UNIQUE_ITEMS = 4_000;

/**
 * Upper bound of the operations of a validator for one byte of its input. Infinity when the schema does not bound them,
 * as with a circular reference.
 */
export function weigh(schema: RequestSchema): number {
  const known = new Map<string, number>();

  function of(value: Value): number {
    if (typeof value !== 'object' || value === null) return 1;
    if (Array.isArray(value)) return sum(value.map(of));
    return sum(Object.entries(value).map(([keyword, inner]) => ofKeyword(keyword, inner)));
  }

  /** The weight of a keyword. A member with the name of a keyword weighs too much, never too little. */
  function ofKeyword(keyword: string, inner: Value): number {
    if (keyword === '$dynamicRef' || keyword === '$id' || keyword === '$anchor' || keyword === '$dynamicAnchor')
      return Infinity;
    if (keyword === 'uniqueItems') return OF_UNIQUE_ITEMS;
    if (keyword === '$ref') return typeof inner === 'string' ? ofReference(inner) : Infinity;
    if (keyword === 'pattern' && typeof inner === 'string') return ofPattern(inner);
    const patterns = keyword === 'patternProperties' ? Object.keys(Object(inner)).map(ofPattern) : [];
    return 1 + of(inner) + sum(patterns);
  }

  function ofReference(reference: string): number {
    const before = known.get(reference);
    if (before !== undefined) return before;
    // A reference that is met again while it is weighed is circular.
    known.set(reference, Infinity);
    const target = at(schema, reference);
    const weight = target === undefined ? Infinity : of(target);
    known.set(reference, weight);
    return weight;
  }

  return of(schema);
}

const sum = (weights: readonly number[]): number => weights.reduce((all, one) => all + one, 0);

const ofPattern = (pattern: string): number =>
  pattern.length * (pattern.includes('{') ? OF_REPEATED_CHARACTER : OF_CHARACTER);

/** The target of a reference within the schema, such as `#/$defs/graph`. */
function at(schema: RequestSchema, reference: string): Value | undefined {
  if (!reference.startsWith('#')) return undefined;
  let value: Value | undefined = schema;
  for (const part of reference.slice(1).split('/').slice(1)) {
    const name = unescaped(part);
    value =
      typeof value === 'object' && value !== null && name !== null && Object.hasOwn(value, name)
        ? (Reflect.get(value, name) as Value)
        : undefined;
  }
  return value;
}

function unescaped(part: string): string | null {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return null;
  }
}
