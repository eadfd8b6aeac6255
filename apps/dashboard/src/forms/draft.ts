import { useState } from 'react';
import type { Tagged } from '../data/tagged.ts';

/** Fields of a form as somebody types them, beside the resource with the tag that a change sends. */
export function useDraft<T, Draft>(begun: Tagged<T>, draftOf: (read: Tagged<T>) => Draft) {
  const [seen, setSeen] = useState(begun);
  const [draft, setDraft] = useState(() => draftOf(begun));
  const [last, setLast] = useState<Draft | null>(null);
  return {
    seen,
    draft,
    setDraft,
    /** True as long as the fields are those that were saved last. */
    isSaved: draft === last,
    /** Shows what was read in place of what was typed. */
    show(read: Tagged<T>): void {
      setSeen(read);
      setDraft(draftOf(read));
    },
    /** Takes over what a change has saved, with its new tag. */
    saved(read: Tagged<T>): void {
      const shown = draftOf(read);
      setSeen(read);
      setLast(shown);
      setDraft(shown);
    },
  };
}
