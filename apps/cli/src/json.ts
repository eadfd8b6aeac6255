import { jsonTextOf } from '@kethub/client';
import { usageFailure } from './failures.ts';

// Input and results pass through ket as text. Parsed and written again they would change: 1.0 becomes the integer 1,
// 2^64 loses digits, and of {"111": 5, "000": 4} the second comes first, because JavaScript sorts such keys.

/** A JSON text that is passed on as it stands. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value as JSON. An answer of the platform in it, or as a whole, is the text that was sent. */
export function jsonOf(value: unknown): JsonText {
  if (value instanceof JsonText) return value;
  if (typeof value !== 'object' || value === null) return new JsonText(JSON.stringify(value));
  const text = jsonTextOf(value);
  if (text !== undefined) return new JsonText(text);
  if (Array.isArray(value)) return new JsonText(`[${value.map((one: unknown) => jsonOf(one).text).join(',')}]`);
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  return objectOf(new Map(members.map(([name, one]) => [name, jsonOf(one).text])));
}

/** JSON of the user, parsed; the failure names the file and where reading stopped. */
export function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw usageFailure(`${file} is not valid JSON: ${error.message}.`);
    throw error;
  }
}

/** The same, for one object. */
export function parseObject(text: string, file: string): Record<string, unknown> {
  const value = parseJson(text, file);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usageFailure(`${file} must hold one JSON object, such as {"data": {}, "params": {}}.`);
  return { ...value };
}

/** The members of one object, each as the text that stands there. */
export function membersOf(text: string, file: string): Map<string, string> {
  parseObject(text, file);
  const members = new Map<string, string>();
  let depth = 0;
  let name: string | undefined;
  let start = 0;
  for (const { 0: token, index } of tokensOf(text)) {
    if (token === '}' || token === ']') depth -= 1;
    if (name !== undefined && ((depth === 1 && token === ',') || depth === 0)) {
      members.set(name, text.slice(start, index).trim());
      name = undefined;
    } else if (depth === 1 && name === undefined && token.startsWith('"')) {
      name = String(JSON.parse(token));
      start = text.indexOf(':', index + token.length) + 1;
    }
    if (token === '{' || token === '[') depth += 1;
  }
  return members;
}

/** The opposite of membersOf. */
export function objectOf(members: ReadonlyMap<string, string>): JsonText {
  return new JsonText(`{${[...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`);
}

/** A valid JSON text with line ends and indentation, like JSON.stringify(value, null, 2) of the value. */
export function layOut({ text }: JsonText): string {
  const pieces: string[] = [];
  let depth = 0;
  let previous = '';
  const line = () => pieces.push(`\n${'  '.repeat(depth)}`);
  for (const { 0: token } of tokensOf(text)) {
    const closes = token === '}' || token === ']';
    if (closes) depth -= 1;
    const opened = previous === '{' || previous === '[';
    if (closes ? !opened : opened || previous === ',') line();
    pieces.push(token === ':' ? ': ' : token);
    if (token === '{' || token === '[') depth += 1;
    previous = token;
  }
  return pieces.join('');
}

function tokensOf(text: string) {
  return text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g);
}
