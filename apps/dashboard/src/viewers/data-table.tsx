import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { toNumber } from '../data/exact-json.ts';
import { textOf } from './shape.ts';

type Row = Readonly<Record<string, unknown>>;
const ROW_HEIGHT = 32;

/** A list of objects as a table. A click on a column sorts by it; only the rows in view are in the page. */
export function DataTable({ columns, rows }: { readonly columns: readonly string[]; readonly rows: readonly Row[] }) {
  const [sort, setSort] = useState<{ readonly column: string; readonly down: boolean } | null>(null);
  const sorted = useMemo(() => (sort ? rows.toSorted(compareBy(sort.column, sort.down)) : rows), [rows, sort]);
  const box = useRef<HTMLDivElement>(null);
  const view = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  });
  const items = view.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = view.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <div ref={box} className="scroll" tabIndex={0} role="region" aria-label={`Table of ${rows.length} rows`}>
      <table className="list plain numbers" aria-rowcount={rows.length}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column}
                scope="col"
                aria-sort={sort?.column === column ? (sort.down ? 'descending' : 'ascending') : 'none'}
              >
                <button
                  type="button"
                  className="plain-button"
                  onClick={() => setSort({ column, down: sort?.column === column && !sort.down })}
                >
                  {column} {sort?.column === column ? (sort.down ? '↓' : '↑') : ''}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <tr style={{ height: before }} aria-hidden="true" />}
          {items.map(({ index }) => (
            <tr key={index} style={{ height: ROW_HEIGHT }}>
              {columns.map((column) => (
                <td key={column}>{textOf(sorted[index]?.[column])}</td>
              ))}
            </tr>
          ))}
          {after > 0 && <tr style={{ height: after }} aria-hidden="true" />}
        </tbody>
      </table>
    </div>
  );
}

function compareBy(column: string, down: boolean) {
  const sign = down ? -1 : 1;
  return (one: Row, other: Row): number => {
    const [a, b] = [toNumber(one[column]), toNumber(other[column])];
    if (a !== null && b !== null) return sign * (a - b);
    return sign * textOf(one[column]).localeCompare(textOf(other[column]));
  };
}
