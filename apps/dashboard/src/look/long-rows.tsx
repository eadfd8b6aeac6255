import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';

/** Rows up to which all of them are in the page. */
const MOST_ROWS = 200;
/** Pixels of a row before it is measured. */
const ROW_HEIGHT = 39;

interface Rows<Row> {
  readonly rows: readonly Row[];
  /** The cells of a row. */
  readonly children: (row: Row) => ReactNode;
}

/** The body of a table in a page that scrolls. Of many rows only those near the view are in the page. */
export function LongRows<Row extends { readonly id: string }>({ rows, children }: Rows<Row>) {
  if (rows.length > MOST_ROWS) return <RowsNearView rows={rows}>{children}</RowsNearView>;
  return (
    <tbody>
      {rows.map((row) => (
        <tr key={row.id}>{children(row)}</tr>
      ))}
    </tbody>
  );
}

function RowsNearView<Row extends { readonly id: string }>({ rows, children }: Rows<Row>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  // The part above the table can grow or shrink at every change of the page.
  useLayoutEffect(() => setTop(Math.round((body.current?.getBoundingClientRect().top ?? 0) + window.scrollY)));
  const view = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    scrollMargin: top,
  });
  const items = view.getVirtualItems();
  const before = (items[0]?.start ?? top) - top;
  const after = view.getTotalSize() - ((items.at(-1)?.end ?? top) - top);
  return (
    <tbody ref={body}>
      {before > 0 && <Space height={before} />}
      {items.map(({ index }) => {
        const row = rows[index];
        return (
          row && (
            <tr key={row.id} ref={view.measureElement} data-index={index} aria-rowindex={index + 2}>
              {children(row)}
            </tr>
          )
        );
      })}
      {after > 0 && <Space height={after} />}
    </tbody>
  );
}

/** Stands in the place of the rows that are not in the page. */
function Space({ height }: { readonly height: number }) {
  return <tr className="space" style={{ height }} aria-hidden="true" />;
}
