import { Button, Slider } from '@mantine/core';
import { LongText } from '../../look/long-text.tsx';
import { entryInWords } from '../../screens/workflows/journal-in-words.ts';
import type { Noted, Rehearsed } from '../check/protocol.ts';

/** Entries of the journal that are shown; the newest ones count. */
const MOST_ENTRIES = 300;

/** Steps back and forth, a slider over the journal, and the journal in words. */
export function History({
  state,
  until,
  onUntil,
  onMove,
  nameAt,
}: {
  readonly state: Rehearsed;
  /** Number of the last entry that the diagram shows; Infinity: now. */
  readonly until: number;
  readonly onUntil: (until: number) => void;
  readonly onMove: (type: 'back' | 'forward') => void;
  readonly nameAt: (elementId: string) => string;
}) {
  const { journal, steps, later } = state;
  const last = journal.length;
  const shown = journal.slice(-MOST_ENTRIES);
  return (
    <>
      <div className="history">
        <Slider
          thumbLabel="Step of the journal"
          min={0}
          max={Math.max(last, 1)}
          value={Math.min(until, last)}
          label={null}
          size="sm"
          onChange={(next) => onUntil(next >= last ? Infinity : next)}
        />
        <span className="small" role="status">
          {until >= last ? 'Now' : `After ${until} of ${last}`}
        </span>
        <span className="row">
          <Button size="compact-xs" variant="default" disabled={steps === 0} onClick={() => onMove('back')}>
            Step back
          </Button>
          <Button size="compact-xs" variant="default" disabled={later === 0} onClick={() => onMove('forward')}>
            Step forward
          </Button>
        </span>
      </div>
      <div className="rehearsal-journal" tabIndex={0} role="group" aria-label="Journal">
        <table className="list">
          <tbody>
            {shown.map((entry) => (
              <Entry key={entry.seq} entry={entry} isLater={entry.seq > until} nameAt={nameAt} onUntil={onUntil} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Entry({
  entry,
  isLater,
  nameAt,
  onUntil,
}: {
  readonly entry: Noted;
  readonly isLater: boolean;
  readonly nameAt: (elementId: string) => string;
  readonly onUntil: (until: number) => void;
}) {
  const { what, where } = entryInWords({ ...entry });
  return (
    <tr className={isLater ? 'quiet' : ''}>
      <td>
        <button
          type="button"
          className="linked numbers"
          aria-label={`Show step ${entry.seq}`}
          onClick={() => onUntil(entry.seq)}
        >
          {entry.seq}
        </button>
      </td>
      <td>{what}</td>
      <td>{where === '' ? '' : nameAt(where)}</td>
      <td className="quiet unspaced">
        <LongText>{entry.message ?? ''}</LongText>
      </td>
    </tr>
  );
}
