import { useMemo, useState } from 'react';
import { ExactNumber } from '../data/exact-json.ts';

/** Members that are shown at a time. */
const STEP = 200;

/** Any JSON as a tree. What is closed is not in the page. */
export function Tree({ value }: { readonly value: unknown }) {
  return (
    <ul className="tree scroll" style={{ paddingLeft: 0 }}>
      <Node name={null} value={value} depth={0} />
    </ul>
  );
}

function Node({
  name,
  value,
  depth,
}: {
  readonly name: string | null;
  readonly value: unknown;
  readonly depth: number;
}) {
  const [isOpen, setOpen] = useState(depth < 2);
  const [shown, setShown] = useState(STEP);
  const label = name === null ? '' : `${name}: `;
  const line = useMemo(() => onOneLine(value), [value]);
  // A result may have a million members: their names are made once, not at each click.
  const names = useMemo(() => (isInner(value) ? Object.keys(value) : []), [value]);
  if (line !== null)
    return (
      <li>
        <span className="quiet">{label}</span>
        {line}
      </li>
    );
  if (!isInner(value)) return null;
  const inner = value as Readonly<Record<string, unknown>>;
  const sort = Array.isArray(value) ? `list of ${names.length}` : `object of ${names.length}`;
  return (
    <li>
      <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <span aria-hidden="true">{isOpen ? '▾ ' : '▸ '}</span>
        <span className="quiet">{label}</span>
        {sort}
      </button>
      {isOpen && (
        <ul className="tree">
          {names.slice(0, shown).map((member) => (
            <Node key={member} name={member} value={inner[member]} depth={depth + 1} />
          ))}
          {names.length > shown && (
            <li>
              <button type="button" onClick={() => setShown(shown + STEP)}>
                … {names.length - shown} more
              </button>
            </li>
          )}
        </ul>
      )}
    </li>
  );
}

/** Characters of a list of single values that is shown on one line. */
const LINE = 120;

/** A single value, or a short list of single values, as text; null for anything larger. */
function onOneLine(value: unknown): string | null {
  if (!isInner(value)) return typeof value === 'string' ? JSON.stringify(value) : String(value);
  if (!Array.isArray(value) || value.length > LINE / 2 || value.some(isInner)) return null;
  const line = `[${value.map(onOneLine).join(', ')}]`;
  return line.length <= LINE ? line : null;
}

function isInner(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof ExactNumber);
}
