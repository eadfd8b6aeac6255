import { Button } from '@mantine/core';
import { useState } from 'react';
import { writeExact } from '../../data/exact-json.ts';
import { MOST_ENTRIES, type JournalEntry } from '../../data/workflow-queries.ts';
import { entryInWords } from './journal-in-words.ts';
import { TableHead } from '../../look/parts.tsx';

/** Entries that are in the page at a time. */
const PAGE = 200;

/** Steps of an instance, in order, of one element or of all. */
export function Journal({
  entries,
  element,
  step,
  nameOf,
  onStep,
}: {
  readonly entries: readonly JournalEntry[];
  readonly element: string | null;
  readonly step: number | null;
  readonly nameOf: (elementId: string) => string;
  readonly onStep: (step: number) => void;
}) {
  const [from, setFrom] = useState(0);
  const rows = element === null ? entries : entries.filter((entry) => entryInWords(entry).where === element);
  const first = Math.min(from, Math.max(0, Math.floor((rows.length - 1) / PAGE) * PAGE));
  const shown = rows.slice(first, first + PAGE);
  if (rows.length === 0) return <p className="quiet">Nothing yet.</p>;
  return (
    <div className="stack">
      {rows.length > PAGE && (
        <div className="row">
          <Button size="compact-xs" variant="default" disabled={first === 0} onClick={() => setFrom(first - PAGE)}>
            Earlier
          </Button>
          <span className="quiet numbers">
            {first + 1} to {first + shown.length} of {rows.length}
            {entries.length >= MOST_ENTRIES && '; later ones are not shown'}
          </span>
          <Button
            size="compact-xs"
            variant="default"
            disabled={first + PAGE >= rows.length}
            onClick={() => setFrom(first + PAGE)}
          >
            Later
          </Button>
        </div>
      )}
      <table className="list">
        <TableHead columns={['Step', 'Time (UTC)', 'What', 'Where']} />
        <tbody>
          {shown.map((entry) => (
            <Entry key={entry.seq} entry={entry} isChosen={entry.seq === step} nameOf={nameOf} onStep={onStep} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Entry({
  entry,
  isChosen,
  nameOf,
  onStep,
}: {
  readonly entry: JournalEntry;
  readonly isChosen: boolean;
  readonly nameOf: (elementId: string) => string;
  readonly onStep: (step: number) => void;
}) {
  const [isOpen, setOpen] = useState(false);
  const { what, where } = entryInWords(entry);
  const { seq, at, type: _type, ...members } = entry;
  return (
    <tr aria-current={isChosen ? 'step' : undefined}>
      <td className="numbers">
        <Button size="compact-xs" variant="subtle" aria-label={`Show step ${seq}`} onClick={() => onStep(seq)}>
          {seq}
        </Button>
      </td>
      <td className="numbers quiet">{at.slice(11)}</td>
      <td>
        <details onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{what}</summary>
          {isOpen && <pre className="code">{writeExact(members)}</pre>}
        </details>
      </td>
      <td title={where}>{nameOf(where)}</td>
    </tr>
  );
}
