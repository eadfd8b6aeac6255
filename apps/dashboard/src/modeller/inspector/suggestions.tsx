import { useId, useState, type KeyboardEvent, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import { everyService, useModelling } from '../context.tsx';
import { suggestionsAt, type Suggestion } from '../suggest/completion.ts';
import { variablesFor, type Side } from '../suggest/variables.ts';

/** Suggestions for the word before the caret of a field: arrow keys choose, Enter takes, Escape closes, Ctrl+Space asks. */
export function useSuggestions({
  input,
  elementId,
  side,
  onText,
}: {
  readonly input: RefObject<HTMLTextAreaElement | null>;
  readonly elementId: string;
  readonly side: Side;
  readonly onText: (text: string) => void;
}) {
  const modelling = useModelling();
  const { kit, functions } = modelling;
  const id = useId();
  const [list, setList] = useState<readonly Suggestion[]>([]);
  const [at, setAt] = useState(0);
  const look = (field: HTMLTextAreaElement, isAsked: boolean): void => {
    const element = kit.service('elementRegistry').get(elementId)?.businessObject;
    const variables = element ? variablesFor(element, everyService(modelling), side) : [];
    setList(suggestionsAt(field.value, field.selectionStart, variables, functions, isAsked));
    setAt(0);
  };
  const close = (): void => setList([]);
  const take = ({ from, insert, back }: Suggestion): void => {
    const field = input.current;
    if (!field) return;
    const text = field.value.slice(0, from) + insert + field.value.slice(field.selectionStart);
    const caret = from + insert.length - back;
    // The next key may come before the next frame, so the caret moves at once.
    flushSync(() => {
      close();
      onText(text);
    });
    field.focus();
    field.setSelectionRange(caret, caret);
  };
  const press = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.key === ' ' && event.ctrlKey) look(event.currentTarget, true);
    else if (list.length === 0) return;
    else if (event.key === 'ArrowDown') setAt((at + 1) % list.length);
    else if (event.key === 'ArrowUp') setAt((at + list.length - 1) % list.length);
    else if (event.key === 'Escape') close();
    else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) {
      const chosen = list[at];
      if (chosen) take(chosen);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const isOpen = list.length > 0;
  return {
    list,
    at,
    id,
    look,
    close,
    take,
    attributes: {
      onKeyDown: press,
      'aria-autocomplete': 'list' as const,
      ...(isOpen && { 'aria-controls': id, 'aria-activedescendant': `${id}-${at}` }),
    },
  };
}

/** The list below the field. Its rows are chosen in the field, which keeps the focus. */
export function SuggestionList({ list, at, id, take }: ReturnType<typeof useSuggestions>) {
  return (
    <>
      <span className="sr-only" role="status">
        {list.length > 0 && `${list.length} suggestions. Arrow keys choose, Enter takes one.`}
      </span>
      {list.length > 0 && (
        <ul id={id} role="listbox" aria-label="Suggestions" className="suggestions">
          {list.map((one, index) => (
            <li
              key={`${one.label}${index}`}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === at}
              ref={index === at ? (row) => row?.scrollIntoView({ block: 'nearest' }) : undefined}
              onPointerDown={(event) => {
                event.preventDefault();
                take(one);
              }}
            >
              <span className="mono">{one.label}</span> <span className="quiet small">{one.detail}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
