import { limits } from '@kethub/contract/limits';
import { Problem } from '../http/problem.ts';
import { notUtf8At, positionOf } from './position.ts';
import { TokenScanner } from './scanner.ts';
import { JsonTokens, type JsonMember, type MarkedObject, type TokenRules } from './tokens.ts';

/** Bytes that are scanned, in about a millisecond, before the event loop runs other work. */
const SLICE = 128 * 1024;

/** Facts about a JSON text, found without building its value. Positions are byte offsets. */
export interface JudgedJson {
  readonly kind: 'OBJECT' | 'ARRAY' | 'OTHER';
  /** Span of the value, without blanks or a byte order mark around it. */
  readonly from: number;
  readonly to: number;
  readonly depth: number;
  readonly members: readonly JsonMember[];
  readonly marked: readonly MarkedObject[];
}

/**
 * Validates a JSON text without building its value: grammar, UTF-8, depth, repeated names, and `rules`. A long text is
 * scanned in slices, between which the event loop runs other work. Throws malformed-json, which names the position.
 */
export function judgeJson(bytes: Uint8Array, rules: TokenRules): JudgedJson | Promise<JudgedJson> {
  const tokens = new JsonTokens(bytes, rules);
  const scanner = new TokenScanner(bytes, limits.jsonDepth, tokens);
  if (bytes.length > SLICE) return inSlices(bytes, scanner, tokens);
  scanner.run(bytes.length);
  return judged(bytes, scanner, tokens);
}

async function inSlices(bytes: Uint8Array, scanner: TokenScanner, tokens: JsonTokens): Promise<JudgedJson> {
  for (let until = SLICE; scanner.run(until); until += SLICE)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  return judged(bytes, scanner, tokens);
}

function judged(bytes: Uint8Array, scanner: TokenScanner, tokens: JsonTokens): JudgedJson {
  const refused = scanner.end();
  const wrongByte = notUtf8At(bytes);
  if (wrongByte !== null && (refused === null || wrongByte <= refused.at)) throw notUtf8(bytes, wrongByte, 'The body');
  if (refused) throw malformed(bytes, refused.at, refused.problem, refused.isGrammar ? '' : tokens.pointer());
  return tokens;
}

function malformed(bytes: Uint8Array, at: number, problem: string, pointer: string): Problem {
  const { line, column } = positionOf(bytes, at);
  const where = `line ${line}, column ${column} (byte ${at})`;
  const shown = pointer.length > 200 ? `${pointer.slice(0, 200)}…` : pointer;
  return new Problem('malformed-json', `The body is refused at ${where}: ${problem}.`, {
    errors: [{ pointer: shown, detail: `${problem}, at ${where}` }],
  });
}

/** The problem of bytes that are not UTF-8. */
export function notUtf8(
  bytes: Uint8Array,
  at: number,
  what: string,
  code: 'malformed-json' | 'invalid-request' = 'malformed-json',
): Problem {
  const { line, column } = positionOf(bytes, at);
  const byte = `0x${(bytes[at] ?? 0).toString(16).padStart(2, '0')}`;
  const where = `byte ${at} (line ${line}, column ${column})`;
  const detail = `is not UTF-8: ${byte} at ${where} cannot stand there`;
  return new Problem(code, `${what} ${detail}. Encode it as UTF-8.`, { errors: [{ pointer: '', detail }] });
}
