import { useEffect, useRef, useState } from 'react';
import type { Kit } from '../kit/types.ts';
import type { Row } from './tree.ts';

/** Names that a message has. */
const MOST_NAMES = 3;
const BEFORE: Readonly<Record<string, string>> = { undo: 'Undone', redo: 'Done again' };

/** The last change of the diagram in words, for those who do not see it. */
export function useSaid(
  kit: Kit,
  rows: readonly Row[],
  revision: number,
): { readonly said: string; say(words: string): void } {
  const [said, setSaid] = useState('');
  // A text that stays the same is not read out again.
  const say = (words: string): void => setSaid((last) => (last === words ? `${words}\u00a0` : words));
  const trigger = useRef('');
  useEffect(() => {
    const note = (event: Readonly<Record<string, unknown>>): void => {
      const { trigger: name } = event;
      trigger.current = typeof name === 'string' ? name : '';
    };
    const bus = kit.service('eventBus');
    // Before the listener of the page, which draws anew.
    bus.on('commandStack.changed', 2_000, note);
    return () => bus.off('commandStack.changed', note);
  }, [kit]);
  const before = useRef(rows);
  useEffect(() => {
    const words = changeInWords(before.current, rows, trigger.current);
    before.current = rows;
    if (words !== '') say(words);
  }, [rows, revision]);
  return { said, say };
}

/** Elements that were added and removed, in words; '' where nothing has to be said. */
export function changeInWords(before: readonly Row[], after: readonly Row[], trigger: string): string {
  const [old, now] = [new Set(before.map(({ id }) => id)), new Set(after.map(({ id }) => id))];
  const parts = [
    inWords(
      after.filter(({ id }) => !old.has(id)),
      'added',
    ),
    inWords(
      before.filter(({ id }) => !now.has(id)),
      'removed',
    ),
  ].filter((part) => part !== '');
  const by = BEFORE[trigger];
  if (by === undefined) return parts.length === 0 ? '' : `${parts.join(', ')}.`;
  return parts.length === 0 ? `${by}.` : `${by}: ${parts.join(', ')}.`;
}

function inWords(rows: readonly Row[], what: string): string {
  if (rows.length === 0) return '';
  const names = rows.slice(0, MOST_NAMES).map(({ name }) => name);
  const more = rows.length > MOST_NAMES ? ` and ${rows.length - MOST_NAMES} more` : '';
  return `${names.join(', ')}${more} ${what}`;
}
