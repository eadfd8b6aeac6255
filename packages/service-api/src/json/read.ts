import { Problem } from '../http/problem.ts';
import { parseJson, type ParseJson } from './build.ts';
import { judgeJson, notUtf8, type JudgedJson } from './judge.ts';
import { notUtf8At } from './position.ts';

const STORED = { storable: true, marked: false, watched: [] };

/**
 * Parses a JSON text that the platform stores. `parse` must keep every digit of numbers; without it, a text with
 * numbers that a double cannot hold is refused. An empty text is undefined. Throws malformed-json.
 */
export function readJson(bytes: Buffer, parse?: ParseJson): unknown {
  if (bytes.length === 0) return undefined;
  const judged = judgeJson(bytes, parse ? { ...STORED, exactNumbers: true } : STORED);
  const read = (shape: JudgedJson): unknown => valueOf(bytes, shape, parse ?? JSON.parse);
  return judged instanceof Promise ? judged.then(read) : read(judged);
}

function valueOf(bytes: Buffer, { from, to }: JudgedJson, parse: ParseJson): unknown {
  return parseJson(bytes.subarray(from, to), parse);
}

/** Decodes UTF-8. Throws invalid-request with the offset of the first wrong byte. */
export function readText(bytes: Buffer, what: string): string {
  const at = notUtf8At(bytes);
  if (at === null) return bytes.toString('utf8');
  throw notUtf8(bytes, at, what, 'invalid-request');
}

/**
 * Parses the fields of a form (application/x-www-form-urlencoded). Throws invalid-request for bytes that are not
 * UTF-8, also if they are written as %XX: URLSearchParams would replace them with U+FFFD.
 */
export function readForm(bytes: Buffer): URLSearchParams {
  return readFields(readText(bytes, 'The form'), 'The form');
}

/** Parses a query, given without its question mark. Throws like `readForm`. */
export function readQuery(query: string): URLSearchParams {
  return readFields(query, 'The query');
}

function readFields(text: string, what: string): URLSearchParams {
  for (const pair of text.split('&')) {
    try {
      decodeURIComponent(pair.replaceAll(/%(?![0-9a-fA-F]{2})/g, '%25'));
    } catch {
      throw notUtf8Field(text, pair, what);
    }
  }
  return new URLSearchParams(text);
}

function notUtf8Field(text: string, pair: string, what: string): Problem {
  const at = Buffer.byteLength(text.slice(0, text.indexOf(pair)));
  const raw = Buffer.from(pair.replaceAll(/%([0-9a-fA-F]{2})/g, '\0$1'));
  const decoded: number[] = [];
  const offsets: number[] = [];
  for (let index = 0; index < raw.length; index++) {
    offsets.push(index);
    if (raw[index] === 0 && index + 2 < raw.length) {
      decoded.push(Number.parseInt(raw.toString('latin1', index + 1, index + 3), 16));
      index += 2;
    } else decoded.push(raw[index] as number);
  }
  const wrong = notUtf8At(Uint8Array.from(decoded)) ?? 0;
  const name = text.slice(text.indexOf(pair)).split('=', 1)[0] ?? '';
  const field = /^[\w.-]{1,100}$/.test(name) ? `/${name}` : '';
  const detail = `is not UTF-8 at byte ${at + (offsets[wrong] ?? 0)}`;
  return new Problem(
    'invalid-request',
    `${what} ${detail}. Encode its fields as UTF-8 before they are written as %XX.`,
    {
      errors: [{ pointer: field, detail }],
    },
  );
}
