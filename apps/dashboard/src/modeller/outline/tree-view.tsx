import { useEffect, useLayoutEffect, useRef, type KeyboardEvent, type ReactNode } from 'react';
import type { Row } from './tree.ts';
import { isFocusLost } from '../../look/return-focus.ts';

/** Elements as a tree: arrow keys select, Enter opens, Delete removes. */
export function Tree({
  rows,
  noteOf,
  selectedId,
  onSelect,
  onOpen,
  onDelete,
  focusAsked = 0,
}: {
  readonly rows: readonly Row[];
  /** A note at the end of a row. */
  readonly noteOf: (id: string) => ReactNode;
  readonly selectedId: string | null;
  readonly onSelect: (id: string) => void;
  readonly onOpen: () => void;
  /** Absent where nothing can be removed. */
  readonly onDelete?: (() => void) | undefined;
  /** Grows each time the selected row has to take the focus. */
  readonly focusAsked?: number;
}) {
  const list = useRef<HTMLUListElement>(null);
  const at = rows.findIndex(({ id }) => id === selectedId);
  const go = (index: number): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (!row) return;
    onSelect(row.id);
    list.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(row.id)}"]`)?.focus();
  };
  const isFocused = useRef(false);
  // The row that had the focus may be gone, such as by Delete or Undo: its neighbour gets it.
  useLayoutEffect(() => {
    if (isFocused.current && isFocusLost()) list.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  }, [rows]);
  useEffect(() => {
    if (focusAsked > 0) list.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
  }, [focusAsked]);
  const press = (event: KeyboardEvent): void => {
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: rows.length - 1,
    };
    const next = moves[event.key];
    if (next !== undefined) go(next);
    else if (event.key === 'Enter' && at >= 0) onOpen();
    else if (event.key === 'Delete' && onDelete && at >= 0) onDelete();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  if (rows.length === 0) return <p className="quiet small note">Nothing is drawn yet.</p>;
  return (
    <ul
      ref={list}
      role="tree"
      aria-label="Elements"
      className="outline-tree"
      onKeyDown={press}
      onFocus={() => {
        isFocused.current = true;
      }}
      onBlur={({ relatedTarget }) => {
        if (relatedTarget !== null) isFocused.current = false;
      }}
    >
      {rows.map((row, index) => (
        <OneRow
          key={row.id}
          row={row}
          note={noteOf(row.id)}
          isSelected={row.id === selectedId}
          isReachable={at === -1 ? index === 0 : index === at}
          onSelect={() => go(index)}
          onOpen={onOpen}
        />
      ))}
    </ul>
  );
}

function OneRow({
  row: { id, name, type, level },
  note,
  isSelected,
  isReachable,
  onSelect,
  onOpen,
}: {
  readonly row: Row;
  readonly note: ReactNode;
  readonly isSelected: boolean;
  readonly isReachable: boolean;
  readonly onSelect: () => void;
  readonly onOpen: () => void;
}) {
  return (
    <li
      role="treeitem"
      aria-level={level}
      aria-selected={isSelected}
      tabIndex={isReachable ? 0 : -1}
      data-row={id}
      className="outline-row"
      data-level={Math.min(level, 6)}
      onClick={onSelect}
      onDoubleClick={onOpen}
      onFocus={() => {
        if (!isSelected) onSelect();
      }}
    >
      <span>{name}</span> {name !== type && <span className="quiet small">{type}</span>}
      {note}
    </li>
  );
}
