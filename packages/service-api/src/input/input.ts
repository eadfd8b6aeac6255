import { limits } from '@kethub/contract/limits';
import { parseExact } from '@kethub/feel';
import { Problem } from '../http/problem.ts';
import { judgeJson, parseJson, type JudgedJson } from '../json/index.ts';
import { isOpen, type InputParameters } from './parameters.ts';
import { parseReference } from './references.ts';
import { requireKnownSecrets, requireSealed } from './secret-names.ts';
import { checkSecrets } from './secrets.ts';
import { checkTags, requireNoSecretIn, TAGS } from './tags.ts';

/** The input of an execution. Numbers keep every digit: its text is never parsed and written anew. */
export interface ExecutionInput {
  /** JSON text of the input object without `$secrets` and `$tags`, in UTF-8. */
  readonly bytes: Buffer;
  /** The values of `$tags`, each once. */
  readonly tags: readonly string[];
  readonly secrets: Record<string, string> | null;
  /** Depth of nesting. */
  readonly depth: number;
  /** Members of the outermost object that can refer to data pools: the named ones, or all that have the form. */
  readonly references: Readonly<Record<string, unknown>>;
  /** Everything in it that has the form of a reference to a data pool, with its JSON Pointer. */
  readonly marked: readonly { readonly pointer: string; readonly value: unknown }[];
  /** Parses `bytes`, a long text in slices. */
  read(): Promise<Readonly<Record<string, unknown>>>;
  /** Parses `bytes` once, with every digit of its numbers. */
  readExact(): Promise<Readonly<Record<string, unknown>>>;
  /** The result of `readExact`, which must have been called before. */
  readonly members: Readonly<Record<string, unknown>>;
}

const SECRETS = '$secrets';

/**
 * Validates the body of a start: one JSON object in UTF-8. The bytes are scanned in slices, between which the event
 * loop serves others; only `$secrets`, `$tags` and references to data pools are parsed. `dataPools` names the
 * parameters that take data pools; null: any may. `parameters` is null when every name is accepted. Throws
 * malformed-json, input-not-an-object, invalid-secrets, and invalid-request for tags.
 */
export async function parseInput(
  text: string | Buffer,
  dataPools: readonly string[] | null,
  parameters: InputParameters | null = null,
): Promise<ExecutionInput> {
  const bytes = Buffer.isBuffer(text) ? text : Buffer.from(text);
  if (bytes.every((byte) => byte <= 0x20))
    throw new Problem('malformed-json', 'The body is empty. Send a JSON object, {} at least.');
  const watched = [SECRETS, TAGS, ...(dataPools ?? []), ...(parameters?.secrets ?? []), ...(parameters?.untyped ?? [])];
  const rules = { storable: false, marked: true, watched };
  const judged = await judgeJson(bytes, rules);
  requireObject(bytes, judged);
  const tags = judged.members.find(({ name }) => name === TAGS);
  if (!tags) return inputIn(bytes, judged, [], dataPools, parameters);
  // The text without `$tags` is scanned again: the offsets of all other members have changed.
  const untagged = without(bytes, judged, tags.without);
  const given = checkTags(bytes.subarray(tags.from, tags.to));
  return inputIn(untagged, await judgeJson(untagged, rules), given, dataPools, parameters);
}

/** The input in a scanned text without `$tags`. */
async function inputIn(
  bytes: Buffer,
  judged: JudgedJson,
  tags: readonly string[],
  dataPools: readonly string[] | null,
  parameters: InputParameters | null,
): Promise<ExecutionInput> {
  const asked = dataPools ?? [];
  const secrets = judged.members.find(({ name }) => name === SECRETS);
  const own = judged.members.filter(({ name }) => asked.includes(name));
  const marked = judged.marked
    .filter((one) => !secrets || one.from < secrets.from || one.to > secrets.to)
    .map((one) => ({ pointer: one.pointer, depth: one.depth, value: valueAt(bytes, one) }));
  const ofRoot = marked
    .filter(({ depth }) => depth === 1)
    .map(({ pointer, value }) => [nameIn(pointer), value] as const);
  const remaining = secrets ? without(bytes, judged, secrets.without) : bytes.subarray(judged.from, judged.to);
  const sealed = secrets ? checkSecrets(bytes.subarray(secrets.from, secrets.to)) : null;
  requireNoSecretIn(tags, sealed);
  if (parameters) await judgeSecrets(bytes, judged, sealed, parameters);
  const named = own.map((one) => [one.name, valueAt(bytes, one)] as const);
  const open = ofRoot.filter(([name]) => dataPools === null || (parameters !== null && isOpen(parameters, name)));
  let members: Readonly<Record<string, unknown>> | null = null;
  return {
    bytes: remaining,
    tags,
    secrets: sealed,
    depth: judged.depth,
    references: Object.fromEntries([...open, ...named]),
    marked,
    async read() {
      return (await parseJson(remaining)) as Record<string, unknown>;
    },
    async readExact() {
      members ??= (await parseJson(remaining, parseExact)) as Record<string, unknown>;
      return members;
    },
    get members() {
      if (members === null) throw new Error('The members of an input are read before they are asked for');
      return members;
    },
  };
}

/**
 * Throws invalid-secrets for a secret that no parameter takes and for a plain value of a secret parameter. It throws it
 * also for a name that has both, unless these are apart. Null counts as absent.
 */
async function judgeSecrets(
  bytes: Buffer,
  { members }: JudgedJson,
  secrets: Readonly<Record<string, string>> | null,
  parameters: InputParameters,
): Promise<void> {
  const given = Object.keys(secrets ?? {});
  requireKnownSecrets(given, parameters);
  const sealed = parameters.secretsApart
    ? new Set(parameters.secrets.filter((name) => !given.includes(name)))
    : new Set([...given, ...parameters.secrets]);
  const known = new Set([...parameters.secrets, ...parameters.untyped]);
  const others = given.filter((name) => !known.has(name));
  // Names that no list of parameters contains were not watched by the first scan.
  const beside =
    others.length === 0 ? [] : (await judgeJson(bytes, { storable: false, marked: false, watched: others })).members;
  const clear = [...members, ...beside].filter(({ name, from, to }) => {
    const isNull = to - from === 4 && bytes.toString('latin1', from, to) === 'null';
    return name !== SECRETS && sealed.has(name) && !isNull;
  });
  requireSealed(clear.map(({ name }) => name));
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function requireObject(bytes: Buffer, { kind, from, to }: JudgedJson): void {
  if (kind === 'OBJECT') return;
  const what = kind === 'ARRAY' ? 'an array' : nameOf(bytes.toString('utf8', from, Math.min(to, from + 4)));
  throw new Problem(
    'input-not-an-object',
    `The input must be a JSON object such as {"data": {}, "params": {}}, but it is ${what}.`,
  );
}

function nameOf(value: string): string {
  if (value.startsWith('"')) return 'a string';
  if (value === 'null') return 'null';
  return value === 'true' || value === 'fals' ? 'a boolean' : 'a number';
}

function without(bytes: Buffer, { from, to }: Span, part: Span): Buffer {
  return Buffer.concat([bytes.subarray(from, part.from), bytes.subarray(part.to, to)]);
}

function valueAt(bytes: Buffer, { from, to }: Span): unknown {
  return parseReference(bytes.subarray(from, to));
}

function nameIn(pointer: string): string {
  return pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Throws too-large. Call it before anything else reads the input. */
export function requireInputSize(bytes: number): void {
  if (bytes > limits.executionInputBytes)
    throw new Problem('too-large', `The input has ${bytes} bytes; at most ${limits.executionInputBytes} are accepted.`);
}
