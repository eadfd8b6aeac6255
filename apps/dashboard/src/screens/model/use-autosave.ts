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
  write,
}: {
  readonly isWanted: boolean;
  readonly write: () => Promise<unknown>;
}): Autosave {
  const [error, setError] = useState<unknown>(null);
  const [isPending, setPending] = useState(false);
  const now = useRef({ isWanted, write, isStopped: false });
  now.current = { isWanted, write, isStopped: isPending || isStale(error) };
  useEffect(() => {
    const look = async (): Promise<void> => {
      const { isWanted, write, isStopped } = now.current;
      if (!isWanted || isStopped) return;
      setPending(true);
      try {
        await write();
        setError(null);
      } catch (failure) {
        setError(failure);
      } finally {
        setPending(false);
      }
    };
    const timer = setInterval(() => void look(), EVERY_MS);
    return () => {
      clearInterval(timer);
      // The last changes are saved when a person goes to another page.
      void look();
    };
  }, []);
  return { error, isPending, reset: () => setError(null) };
}
