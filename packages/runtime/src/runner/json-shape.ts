import { messageOf } from '../errors.ts';

/** What a caller must know of a JSON text to serve it without parsing it again. */
export interface JsonShape {
  isObject: boolean;
  /** Whether the object has `_links` or `_embedded`. */
  reservedMembers: boolean;
}

/** Deeper values crash parsers of other languages; Python's own writer stops near 1,000 as well. */
export const DEPTH_LIMIT = 1_000;

/** Checks that bytes are one JSON text of bounded depth, in strict UTF-8. */
export function inspectJson(bytes: Buffer): JsonShape | { problem: string } {
  const depth = depthOf(bytes);
  if (depth > DEPTH_LIMIT) return { problem: `it is nested deeper than ${DEPTH_LIMIT} levels` };
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return {
      isObject,
      reservedMembers: isObject && (Object.hasOwn(value, '_links') || Object.hasOwn(value, '_embedded')),
    };
  } catch (error) {
    return { problem: `it is not JSON (${messageOf(error).slice(0, 200)})` };
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

function depthOf(bytes: Buffer): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index];
    if (inString) {
      if (byte === BACKSLASH) index += 1;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === 0x7b || byte === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return deepest;
}
