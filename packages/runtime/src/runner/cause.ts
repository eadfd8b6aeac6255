import { inspectJson } from '../json/index.ts';
import type { Cause } from '../types.ts';

/** A cause is an exception in words. Sizes in bytes; what is beyond any of these is not kept. */
const LIMITS = { bytes: 1024 * 1024, depth: 64, containers: 2_000 };
/** As much of the file is read: one byte more shows that there is more. */
export const CAUSE_BYTES = LIMITS.bytes + 1;
const WORD_LENGTH = 64 * 1024;
/** Characters shown of a cause that is not kept. */
const SHOWN = 1_000;

/** Reads the cause that a program reported itself. Its text may have been written by user code: it is judged before it is read. */
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

/** Reads a cause from a document that may be something else. Null when it is too long, no object, or has neither title nor detail. */
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
