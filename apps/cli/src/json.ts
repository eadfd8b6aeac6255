import { jsonTextOf } from '@kethub/client';
import { usageFailure } from './failures.ts';

// Input and results stay text in ket. Parsing and writing would change them: 1.0 becomes the integer 1, and 2^64 loses
// digits. In {"111": 5, "000": 4} the second member would come first, because JavaScript sorts such keys.

/** A JSON text that is passed on unchanged. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value as JSON. Answers of the platform, in it or as a whole, keep the text that was sent. */
export function jsonOf(value: unknown): JsonText {
  if (value instanceof JsonText) return value;
  if (typeof value !== 'object' || value === null) return new JsonText(JSON.stringify(value));
  const text = jsonTextOf(value);
  if (text !== undefined) return new JsonText(text);
  if (Array.isArray(value)) return new JsonText(`[${value.map((one: unknown) => jsonOf(one).text).join(',')}]`);
  const members = Object.entries(value).filter(([, one]) => one !== undefined);
  return objectOf(new Map(members.map(([name, one]) => [name, jsonOf(one).text])));
}

/** Parses JSON of the user. The failure names the file and the position. */
export function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw usageFailure(`${file} is not valid JSON: ${error.message}.`);
    throw error;
  }
}

/** Parses one JSON object of the user. */
export function parseObject(text: string, file: string): Record<string, unknown> {
  const value = parseJson(text, file);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usageFailure(`${file} must hold one JSON object, such as {"data": {}, "params": {}}.`);
  return { ...value };
}

/** The members of one object, each with its unchanged text. */
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

/** The elements of one list, each with its unchanged text. */
export function elementsOf(text: string): string[] {
  const elements: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of tokensOf(text)) {
    if (token === '}' || token === ']') depth -= 1;
    if ((depth === 1 && token === ',') || (depth === 0 && token === ']')) {
      elements.push(text.slice(start, index).trim());
      start = index + 1;
    }
    if (token === '{' || token === '[') depth += 1;
    if (depth === 1 && token === '[') start = index + 1;
  }
  return elements.length === 1 && elements[0] === '' ? [] : elements;
}

/** Joins members to an object: the inverse of membersOf. */
export function objectOf(members: ReadonlyMap<string, string>): JsonText {
  return new JsonText(`{${[...members].map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`);
}

/** Adds line breaks and indentation to a valid JSON text, as JSON.stringify(value, null, 2) does. */
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
