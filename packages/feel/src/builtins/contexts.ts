import type { CallSite } from '../evaluate/call-site.ts';
import { isContext, kindOf, member, newContext } from '../values/kind.ts';
import type { Context, Value } from '../values/value.ts';
import { Builtin, signature } from './builtin.ts';

/** Characters of a name. Longer names are hashed by their length alone, and compared with all others of that length. */
const LONGEST_HASHED = 10_000;

function spendOnKey(call: CallSite, key: string): void {
  if (key.length > LONGEST_HASHED) call.spend(key.length);
}

function copyOf(call: CallSite, context: Context): Record<string, Value> {
  const copy = newContext();
  const names = Object.keys(context);
  call.meter.list(names.length);
  for (const name of names) copy[name] = context[name] ?? null;
  return copy;
}

function getValue(call: CallSite, context: Context, key: string): Value {
  spendOnKey(call, key);
  return member(context, key) ?? call.run.warn('NO_CONTEXT_ENTRY_FOUND', `There is no member "${key}".`, call.span);
}

function getByPath(call: CallSite, context: Context, keys: readonly Value[]): Value {
  let value: Value = keys.length === 0 ? null : context;
  for (const key of keys) {
    if (typeof key === 'string') spendOnKey(call, key);
    value = typeof key === 'string' && isContext(value) ? (member(value, key) ?? null) : null;
  }
  return value;
}

function getEntries(call: CallSite, context: Context): Value {
  const names = Object.keys(context);
  call.meter.list(names.length);
  return names.map((key) => entry(key, context[key] ?? null));
}

function entry(key: string, value: Value): Context {
  const made = newContext();
  made.key = key;
  made.value = value;
  return made;
}

function put(call: CallSite, context: Context, key: string, value: Value): Value {
  spendOnKey(call, key);
  const copy = copyOf(call, context);
  copy[key] = value;
  return copy;
}

/**
 * Puts a value at a path. Missing contexts on the path are made, as in Camunda; a value that is no context is replaced.
 */
function putByPath(call: CallSite, context: Context, keys: readonly Value[], value: Value): Value {
  const [key, ...rest] = keys;
  if (typeof key !== 'string') return call.fail('needs one key at least, and only texts.');
  if (rest.length === 0) return put(call, context, key, value);
  const inner = member(context, key) ?? null;
  const changed = putByPath(call, isContext(inner) ? inner : newContext(), rest, value);
  return changed === null ? null : put(call, context, key, changed);
}

function merge(call: CallSite, contexts: readonly Value[]): Value {
  const merged = newContext();
  for (const context of contexts) {
    if (!isContext(context)) return call.fail(`expects contexts, got ${kindOf(context)}.`);
    const names = Object.keys(context);
    call.meter.list(names.length);
    for (const name of names) merged[name] = context[name] ?? null;
  }
  return merged;
}

/** The reverse of `get entries`. Of two entries with one key the later counts, as in Camunda; in DMN that is null. */
function fromEntries(call: CallSite, entries: readonly Value[]): Value {
  const made = newContext();
  call.meter.list(entries.length);
  for (const item of entries) {
    const key = isContext(item) ? member(item, 'key') : undefined;
    const value = isContext(item) ? member(item, 'value') : undefined;
    if (typeof key !== 'string' || value === undefined)
      return call.fail('expects contexts with a key, a text, and a value.');
    spendOnKey(call, key);
    made[key] = value;
  }
  return made;
}

const contextPut = new Builtin([
  signature(['context: context', 'key: string', 'value: any'], put),
  signature(['context: context', 'keys: list', 'value: any'], (call, context, keys, value) => {
    return keys.length === 0 ? call.fail('needs one key at least.') : putByPath(call, context, keys, value);
  }),
]);

const contextMerge = new Builtin([signature(['...contexts: list'], merge)]);

/** One key and a path differ by kind, so neither may be converted to the other. */
export const contexts: readonly (readonly [string, Builtin])[] = [
  [
    'get value',
    new Builtin([
      signature(['m: context', 'key: string'], getValue),
      signature(['context: context', 'key: string'], getValue),
      signature(['m: context', 'keys: list'], (call, context, keys) => pathOnly(call, context, keys)),
      signature(['context: context', 'keys: list'], (call, context, keys) => pathOnly(call, context, keys)),
    ]),
  ],
  ['get entries', new Builtin([signature(['m: context'], getEntries), signature(['context: context'], getEntries)])],
  ['context put', contextPut],
  ['put', contextPut],
  ['context merge', contextMerge],
  ['put all', contextMerge],
  ['context', new Builtin([signature(['...entries: list'], fromEntries)])],
];

/** A key that is no text was made a list; it is no path. */
function pathOnly(call: CallSite, context: Context, keys: readonly Value[]): Value {
  return keys.every((key) => typeof key === 'string')
    ? getByPath(call, context, keys)
    : call.fail('expects texts as keys.');
}
