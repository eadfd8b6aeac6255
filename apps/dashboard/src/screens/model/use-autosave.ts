import { useEffect, useRef, useState } from 'react';
import { isStale } from '../../forms/conflict.tsx';

/** Milliseconds between two looks for changes. */
const EVERY_MS = 5_000;

interface Autosave {
  /** The last time at which it could not save; null since it could. */
  readonly error: unknown;
  readonly isPending: boolean;
  /** Goes on after somebody has decided what becomes of a conflict. */
  reset(): void;
}

/**
 * Writes changes into the draft every few seconds. What fails is tried again, unless somebody else has saved in the
 * meantime: that is for a person to decide.
 */
export function useAutosave({
  isWanted,
  isDirty,
  write,
  report,
}: {
  /** False where nothing may be saved by itself. */
  readonly isWanted: boolean;
  readonly isDirty: boolean;
  /** Saves what has changed, if anything has. */
  readonly write: () => Promise<unknown>;
  /** Takes what is typed or drawn until now. */
  readonly report: () => Promise<void>;
}): Autosave {
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const now = useRef({ isWanted, isDirty, write, report, isStopped: false });
  now.current = { isWanted: isWanted && !isStale(error), isDirty, write, report, isStopped: isPending };
  useEffect(() => {
    const save = async (): Promise<void> => {
      setPending(true);
      try {
        await now.current.write();
        setError(null);
      } catch (failure) {
        setError(failure);
      } finally {
        setPending(false);
      }
    };
    const timer = setInterval(() => {
      const { isWanted, isDirty, isStopped } = now.current;
      if (isWanted && isDirty && !isStopped) void save();
    }, EVERY_MS);
    return () => {
      clearInterval(timer);
      // The last changes are saved when a person goes to another page, also those that were typed a moment ago.
      const { isWanted, report } = now.current;
      void report().then(() => (isWanted ? save() : undefined));
    };
  }, []);
  return { error, isPending, reset: () => setError(null) };
}
