import { ExactNumber } from '../../data/exact-json.ts';

/** A variable or a member of one, as far as it is known while the workflow is drawn. */
export interface Member {
  readonly name: string;
  /** Type in words; '' where it is not known. */
  readonly type: string;
  /** Members of an object, or of the items of a list: FEEL reads those of a list as a list. */
  readonly members: readonly Member[];
}

/** Objects within each other that are looked into, and members of one that are known. */
const DEEPEST = 5;
const MOST = 200;
/** Schemas that are read for one answer: definitions that use each other multiply. Further ones have no members. */
const MOST_READ = 5_000;

interface Budget {
  left: number;
}

type Schema = Readonly<Record<string, unknown>>;

/** Members of what a JSON Schema describes. `document` is where its references point into. */
export function membersOfSchema(
  given: unknown,
  document: unknown,
  depth = 0,
  budget: Budget = { left: MOST_READ },
): readonly Member[] {
  if (depth > DEEPEST) return [];
  return partsOf(given, document, 0, budget)
    .flatMap((part) => {
      if (isObject(part['items'])) return membersOfSchema(part['items'], document, depth, budget);
      if (!isObject(part['properties'])) return [];
      return Object.entries(part['properties'])
        .slice(0, MOST)
        .map(([name, schema]): Member => ({
          name,
          type: typeOf(schema, document, budget),
          members: membersOfSchema(schema, document, depth + 1, budget),
        }));
    })
    .slice(0, MOST);
}

/** The schema itself and those that it is joined of, without the schema of a failure. */
function partsOf(given: unknown, document: unknown, step: number, budget: Budget): readonly Schema[] {
  budget.left -= 1;
  if (!isObject(given) || step > 10 || budget.left < 0) return [];
  const { $ref } = given;
  if (typeof $ref === 'string')
    return $ref.endsWith('/Failure') ? [] : partsOf(atPointer(document, $ref), document, step + 1, budget);
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => {
    const all = given[keyword];
    return Array.isArray(all) ? all.slice(0, 20).flatMap((one) => partsOf(one, document, step + 1, budget)) : [];
  });
  return [given, ...parts].slice(0, MOST);
}

function typeOf(schema: unknown, document: unknown, budget: Budget): string {
  const [found] = partsOf(schema, document, 0, budget).flatMap(({ type }) =>
    typeof type === 'string' ? [type] : Array.isArray(type) ? [type.join(' or ')] : [],
  );
  return found ?? '';
}

function atPointer(document: unknown, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (at, part) => (isObject(at) ? at[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
      document,
    );
}

/** Members of a value, such as one of the example input. */
export function membersOfValue(value: unknown, depth = 0): readonly Member[] {
  if (depth > DEEPEST) return [];
  if (Array.isArray(value)) return membersOfValue(value[0], depth);
  if (!isObject(value) || value instanceof ExactNumber) return [];
  return Object.entries(value)
    .slice(0, MOST)
    .map(([name, inner]) => ({ name, type: kindOf(inner), members: membersOfValue(inner, depth + 1) }));
}

function kindOf(value: unknown): string {
  if (value instanceof ExactNumber) return 'number';
  if (Array.isArray(value)) return 'array';
  return value === null ? '' : typeof value;
}

/** Both lists as one; of two members of one name, what is known of either. */
export function joined(one: readonly Member[], other: readonly Member[]): readonly Member[] {
  const all = new Map(one.map((member) => [member.name, member]));
  for (const member of other) {
    const known = all.get(member.name);
    const type = known?.type !== undefined && known.type !== '' ? known.type : member.type;
    all.set(member.name, { name: member.name, type, members: joined(known?.members ?? [], member.members) });
  }
  return [...all.values()];
}

/** Members of the result of a service, from its OpenAPI document. */
export function resultMembers(document: unknown): readonly Member[] {
  const [answer] = partsOf(atPointer(document, '#/paths/~1{id}~1result/get/responses/200'), document, 0, {
    left: MOST_READ,
  });
  const schema = atPointer(answer, '#/content/application~1json/schema');
  return membersOfSchema(schema, document).filter(({ name }) => name !== '_links' && name !== '_embedded');
}

/** A made-up value with these members, to begin with. */
export function sampleOf(members: readonly Member[]): unknown {
  return Object.fromEntries(members.map((member) => [member.name, sampleOfOne(member)]));
}

function sampleOfOne({ type, members }: Member): unknown {
  if (type.includes('array')) return members.length > 0 ? [sampleOf(members)] : [];
  if (type.includes('object') || members.length > 0) return sampleOf(members);
  if (type.includes('integer') || type.includes('number')) return 0;
  if (type.includes('boolean')) return false;
  return type.includes('string') ? '' : null;
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
