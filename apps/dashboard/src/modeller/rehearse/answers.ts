import type { Happening, InstanceRecord, Recorded, Waiting } from '../check/protocol.ts';

const NONE: ReadonlySet<Recorded> = new Set();

/**
 * The answer that a real instance got where the rehearsal waits. The one for the same input goes first, then the one
 * for the same call in order, then the last one. Null where it has got none, or where all of them are in `used`.
 */
export function recordedFor(record: InstanceRecord | null, waiting: Waiting, used = NONE): Recorded | null {
  const kinds = KINDS[waiting.kind];
  const known =
    record?.answers.filter(({ elementId, kind }) => elementId === waiting.elementId && kinds.includes(kind)) ?? [];
  const free = known.filter((one) => !used.has(one));
  if (waiting.kind !== 'job') return free[0] ?? null;
  const inOrder = known[waiting.nth];
  return (
    free.find(({ input }) => input === waiting.input) ??
    (inOrder !== undefined && !used.has(inOrder) ? inOrder : null) ??
    free.at(-1) ??
    null
  );
}

const KINDS: Readonly<Record<Waiting['kind'], readonly Recorded['kind'][]>> = {
  job: ['succeed', 'fail'],
  timer: ['due'],
  message: ['receive'],
  signal: ['receive'],
};

/** The event by which a rehearsal gets an answer. */
export function happeningOf({ key, kind }: Waiting, type: Recorded['kind'], text: string): Happening | null {
  if (kind === 'job') return type === 'succeed' || type === 'fail' ? { type, key, text } : null;
  if (kind === 'timer') return { type: 'due', key };
  return { type: 'receive', kind, key, text };
}
