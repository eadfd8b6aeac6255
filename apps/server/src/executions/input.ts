import { limits } from '@kethub/contract';
import { judgeJson, Problem, type JudgedJson } from '../http/index.ts';
import { checkSecrets } from './secrets.ts';

/** The input of an execution. Numbers keep every digit: its text is never parsed and written anew. */
export interface ExecutionInput {
  /** JSON text of the input object without `$secrets`, in UTF-8. */
  readonly bytes: Buffer;
  readonly secrets: Record<string, string> | null;
  /** Objects and lists within each other. */
  readonly depth: number;
  /** Members of the outermost object that can refer to data pools: those that were asked for, or all that do. */
  readonly references: Readonly<Record<string, unknown>>;
  /** Everything in it that has the form of a reference to a data pool, with its JSON Pointer. */
  readonly marked: readonly { readonly pointer: string; readonly value: unknown }[];
  /** The object without `$secrets`. Parses the whole text when it is first asked for. */
  readonly members: Readonly<Record<string, unknown>>;
}

const SECRETS = '$secrets';
/** A longer object is no reference to a data pool, whatever it says. */
const REFERENCE_BYTES = 4 * 1024;

/**
 * Checks the body of a start: one JSON object, as UTF-8. It is judged by its bytes, in slices between which others have
 * their turn; only `$secrets` and the references to data pools are parsed. `dataPools` are the parameters that take data
 * pools; null where any can. Throws malformed-json, input-not-an-object, invalid-secrets.
 */
export async function parseInput(text: string | Buffer, dataPools: readonly string[] | null): Promise<ExecutionInput> {
  const bytes = Buffer.isBuffer(text) ? text : Buffer.from(text);
  if (bytes.every((byte) => byte <= 0x20))
    throw new Problem('malformed-json', 'The body is empty. Send a JSON object, {} at least.');
  const asked = dataPools ?? [];
  const judged = await judgeJson(bytes, { storable: false, marked: true, watched: [SECRETS, ...asked] });
  requireObject(bytes, judged);
  const secrets = judged.members.find(({ name }) => name === SECRETS);
  const own = judged.members.filter(({ name }) => name !== SECRETS || asked.includes(SECRETS));
  const marked = judged.marked
    .filter((one) => !secrets || one.from < secrets.from || one.to > secrets.to)
    .map((one) => ({ pointer: one.pointer, depth: one.depth, value: valueAt(bytes, one) }));
  const ofRoot = marked.filter(({ depth }) => depth === 1).map(({ pointer, value }) => [nameIn(pointer), value]);
  const rest = secrets ? without(bytes, judged, secrets.without) : bytes.subarray(judged.from, judged.to);
  let members: Readonly<Record<string, unknown>> | null = null;
  return {
    bytes: rest,
    secrets: secrets ? checkSecrets(bytes.subarray(secrets.from, secrets.to)) : null,
    depth: judged.depth,
    references: Object.fromEntries(dataPools ? own.map((one) => [one.name, valueAt(bytes, one)]) : ofRoot),
    marked,
    get members() {
      members ??= JSON.parse(rest.toString()) as Record<string, unknown>;
      return members;
    },
  };
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

/** The value of a place that can hold a reference; of a longer one only that it is something else. */
function valueAt(bytes: Buffer, { from, to }: Span): unknown {
  return to - from > REFERENCE_BYTES ? {} : (JSON.parse(bytes.toString('utf8', from, to)) as unknown);
}

function nameIn(pointer: string): string {
  return pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Throws too-large. Asked before anything else of the input is looked at. */
export function requireInputSize(bytes: number): void {
  if (bytes > limits.executionInputBytes)
    throw new Problem('too-large', `The input has ${bytes} bytes; at most ${limits.executionInputBytes} are accepted.`);
}
