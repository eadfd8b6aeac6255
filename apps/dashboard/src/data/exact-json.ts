/** A number whose digits a double does not hold. Shown and sent as it was written. */
export class ExactNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toString(): string {
    return this.text;
  }
  toJSON(): unknown {
    return rawJson(this.text);
  }
}

interface ExactJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON?(text: string): unknown;
}
/** JSON.parse with source text access, ECMAScript 2026. */
const json = JSON as unknown as ExactJson;

function rawJson(text: string): unknown {
  return json.rawJSON ? json.rawJSON(text) : Number(text);
}

/** JSON.parse that keeps the digits of every number. Throws SyntaxError. */
export function parseExact(text: string): unknown {
  return json.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && !isExact(value, source) ? new ExactNumber(source) : value,
  );
}

/** A JSON text of a value that may hold exact numbers. */
export function writeExact(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent) ?? 'null';
}

/**
 * Returns whether a double stands for the number as it was written: an integer up to 2^53, or at most 17 significant
 * digits.
 */
function isExact(value: number, source: string): boolean {
  if (/^-?\d+$/.test(source)) return Number.isSafeInteger(value);
  if (!Number.isFinite(value)) return false;
  const digits = source
    .replace(/[eE].*$/, '')
    .replaceAll(/[-.]/g, '')
    .replace(/^0+/, '');
  return digits.length <= 17;
}

/** The value as a double, for drawing; null for anything that is no number. */
export function toNumber(value: unknown): number | null {
  if (typeof value === 'number') return value;
  return value instanceof ExactNumber ? Number(value.text) : null;
}
