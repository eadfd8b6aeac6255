import { inspectJson } from '../json/index.ts';
import type { Cause } from '../types.ts';

/** Limits of a cause: bytes, nesting, and the number of objects and arrays. A cause beyond one of them is not kept. */
const LIMITS = { bytes: 1024 * 1024, depth: 64, containers: 2_000 };
/** Bytes to read of a file. The last one shows that the file is longer than the limit. */
export const CAUSE_BYTES = LIMITS.bytes + 1;
/** Characters of a title, type or detail. Beyond them the text is cut off. */
const WORD_LENGTH = 64 * 1024;
/** Characters shown of a cause that is not kept. */
const SHOWN = 1_000;

/**
 * Parses the cause that a program reported. User code may have written it, so its shape is checked before it is parsed.
 */
export function parseCause(bytes: Buffer): Cause {
  const shape = inspectJson(bytes, LIMITS);
  if ('problem' in shape) return notKept(bytes, shape.problem);
  if (shape.kind !== 'OBJECT') return notKept(bytes, 'it is not an object');
  const members = JSON.parse(bytes.toString('utf8', shape.from, shape.to)) as Record<string, unknown>;
  const kept = new Map(Object.entries(members));
  for (const reserved of ['_links', '_embedded', '__proto__']) kept.delete(reserved);
  const word = (name: string, otherwise: string): string => {
    const found = kept.get(name);
    return typeof found === 'string' ? found.slice(0, WORD_LENGTH) : otherwise;
  };
  return {
    ...Object.fromEntries(kept),
    type: word('type', FAILED.type),
    title: word('title', FAILED.title),
    detail: word('detail', ''),
  };
}

/**
 * Parses a cause from a document that may be something else. Null when it is too long, not an object, or has neither
 * title nor detail.
 */
export function problemIn(bytes: Buffer): Cause | null {
  const shape = inspectJson(bytes, LIMITS);
  if ('problem' in shape || shape.kind !== 'OBJECT') return null;
  const { title, detail } = JSON.parse(bytes.toString('utf8', shape.from, shape.to)) as Record<string, unknown>;
  return typeof title === 'string' || typeof detail === 'string' ? parseCause(bytes) : null;
}

const FAILED = { type: 'ProgramFailed', title: 'The program failed' };

function notKept(bytes: Buffer, why: string): Cause {
  const shown = bytes.toString('utf8', 0, SHOWN * 4).slice(0, SHOWN);
  return { ...FAILED, detail: `The cause that the program reported cannot be kept: ${why}. It begins with: ${shown}` };
}
