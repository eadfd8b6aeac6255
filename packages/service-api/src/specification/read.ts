import { limits } from '@kethub/contract/limits';
import { isMap, isScalar, parseDocument, visit } from 'yaml';
import { isObject, pointerOf, type JsonObject, type ValidationError } from './json.ts';

export type Read =
  | { readonly ok: true; readonly document: JsonObject }
  | { readonly ok: false; readonly errors: ValidationError[] };

/** Values of a document, as many as the largest one can hold without aliases. More are refused. */
const VALUES = limits.apiSpecificationBytes / 2;

/** Reads a YAML text, and so also JSON. Expanded aliases count against the limits. */
export function readYaml(text: string): Read {
  // The library compares every key with every other. `repeatedKey` finds duplicates in linear time.
  const yaml = parse(text);
  if (yaml === null) return failed('', 'is nested too deeply to be read');
  const [error] = yaml.errors;
  if (error) return failed('', `is not YAML: ${error.message.split('\n')[0]}`);
  const repeated = repeatedKey(yaml);
  if (repeated !== null) return failed('', `has the key ${JSON.stringify(repeated)} twice in one mapping`);
  try {
    return readJson(yaml.toJS({ maxAliasCount: 100 }));
  } catch (problem) {
    if (problem instanceof ReferenceError) return failed('', 'has aliases that stand for too much, or for nothing');
    throw problem;
  }
}

function parse(text: string) {
  try {
    return parseDocument(text, { uniqueKeys: false, stringKeys: true, logLevel: 'error', schema: 'core' });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function repeatedKey(yaml: ReturnType<typeof parseDocument>): string | null {
  let found: string | null = null;
  visit(yaml, {
    Map(_key, map) {
      if (!isMap(map)) return undefined;
      const keys = new Set<string>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? String(key.value) : '';
        if (keys.has(name)) {
          found = name;
          return visit.BREAK;
        }
        keys.add(name);
      }
      return undefined;
    },
  });
  return found;
}

/** Reads a value as a document, if it is an object within the limits on depth and size. */
export function readJson(value: unknown): Read {
  if (!isObject(value)) return failed('', 'is not an object');
  const beyond = firstBeyond(value);
  if (beyond) return { ok: false, errors: [beyond] };
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > limits.apiSpecificationBytes)
    return failed('', `has ${bytes} bytes as JSON; at most ${limits.apiSpecificationBytes} are accepted`);
  return { ok: true, document: value };
}

/** Finds the first value that no document may hold. Does not recurse, because the depth is unchecked. */
function firstBeyond(root: JsonObject): ValidationError | null {
  const left: { value: unknown; path: readonly string[] }[] = [{ value: root, path: [] }];
  let count = 0;
  for (let next = left.pop(); next; next = left.pop()) {
    const { value, path } = next;
    const refuse = (detail: string): ValidationError => ({ pointer: pointerOf(...path), detail });
    if (++count > VALUES) return refuse('is one value more than are accepted');
    if (path.length > limits.apiSpecificationDepth)
      return refuse(`is nested deeper than ${limits.apiSpecificationDepth}`);
    if (typeof value === 'number' && !Number.isFinite(value)) return refuse('is no number that JSON has');
    if (typeof value === 'string' && value.includes('\0')) return refuse('holds the character U+0000');
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, one] of Object.entries(value)) {
      if (name.includes('\0')) return refuse('has a member whose name holds the character U+0000');
      left.push({ value: one, path: [...path, name] });
    }
  }
  return null;
}

function failed(pointer: string, detail: string): Read {
  return { ok: false, errors: [{ pointer, detail }] };
}
