import { writeExact } from '../../data/exact-json.ts';
import type { JournalEntry } from '../../data/workflow-queries.ts';
import { More } from '../../look/more.tsx';
import { Problem } from '../../shell/problem.tsx';
import { entryInWords } from './journal-in-words.ts';
import { useJournal } from './use-journal.ts';

/** Steps of an instance, in order. */
export function Journal({ instanceId, isRunning }: { readonly instanceId: string; readonly isRunning: boolean }) {
  const journal = useJournal(instanceId, isRunning);
  const rows = journal.data?.pages.flat() ?? [];
  return (
    <section className="panel flush" aria-labelledby="journal">
      <div className="panel-head">
        <h2 id="journal">What it did</h2>
      </div>
      {journal.error && <Problem error={journal.error} onRetry={() => void journal.refetch()} />}
      {journal.isPending && <p className="quiet panel-text">Loading…</p>}
      {rows.length > 0 && (
        <table className="list">
          <thead>
            <tr>
              <th scope="col">Step</th>
              <th scope="col">Time (UTC)</th>
              <th scope="col">What</th>
              <th scope="col">Where</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((entry) => (
              <Entry key={entry.seq} entry={entry} />
            ))}
          </tbody>
        </table>
      )}
      <More of={journal} />
    </section>
  );
}

function Entry({ entry }: { readonly entry: JournalEntry }) {
  const { what, where } = entryInWords(entry);
  const { seq, at, type: _type, ...members } = entry;
  return (
    <tr>
      <td className="numbers quiet">{seq}</td>
      <td className="numbers quiet">{at.slice(11)}</td>
      <td>
        <details>
          <summary>{what}</summary>
          <pre className="code">{writeExact(members)}</pre>
        </details>
      </td>
      <td className="mono">{where}</td>
    </tr>
  );
}
