import { usageFailure } from './failures.ts';

/**
 * JSON whose numbers keep the text they have: `1.0` stays a float for Python, and 2^64 keeps all its digits, neither of
 * which survives JSON.parse and JSON.stringify. Stands on "JSON.parse source text access" (ECMAScript 2026, V8 since 11.4),
 * which the compiler's library does not describe yet.
 */
interface SourceTextAccess {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
}

const access = JSON as unknown as SourceTextAccess;

/** Like JSON.parse. Numbers that JavaScript would write differently are kept as they stand, for JSON.stringify only. */
export function parseExactly(text: string): unknown {
  return access.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? access.rawJSON(source) : value,
  );
}

/** JSON of the user; the failure names the file and where reading stopped. */
export function parseJson(text: string, file: string, parse: (text: string) => unknown = parseExactly): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw usageFailure(`${file} is not valid JSON: ${error.message}.`);
    throw error;
  }
}

/** The same, for one object. */
export function parseObject(
  text: string,
  file: string,
  parse: (text: string) => unknown = parseExactly,
): Record<string, unknown> {
  const value = parseJson(text, file, parse);
  // A number that was kept as text is an object too, without a prototype.
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    throw usageFailure(`${file} must hold one JSON object, such as {"data": {}, "params": {}}.`);
  return { ...value };
}
