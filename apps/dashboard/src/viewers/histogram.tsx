import { SegmentedControl } from '@mantine/core';
import { useMemo, useState } from 'react';

/** States that get a bar of their own; the others share one. */
const MOST_BARS = 24;
const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 6 });
const share = new Intl.NumberFormat('en', { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** Measurement counts as bars in a table, so that a screen reader has them as well. */
export function Histogram({ counts }: { readonly counts: readonly (readonly [string, number])[] }) {
  const [order, setOrder] = useState('count');
  const [unit, setUnit] = useState('counts');
  const total = useMemo(() => counts.reduce((sum, [, count]) => sum + count, 0), [counts]);
  const bars = useMemo(() => {
    const byCount = counts.toSorted(([, one], [, other]) => other - one);
    const shown = byCount.slice(0, MOST_BARS);
    return order === 'count' ? shown : shown.toSorted(([one], [other]) => (one < other ? -1 : 1));
  }, [counts, order]);
  const without = total - bars.reduce((sum, [, count]) => sum + count, 0);
  const largest = Math.max(...bars.map(([, count]) => count), 1e-300);
  const say = (count: number): string => (unit === 'counts' ? whole.format(count) : share.format(count / (total || 1)));
  return (
    <div>
      <div className="row apart" style={{ marginBottom: 8 }}>
        <span className="numbers">
          <strong>{whole.format(counts.length)}</strong> {counts.length === 1 ? 'state' : 'states'},{' '}
          <strong>{whole.format(total)}</strong> in all
        </span>
        <div className="row">
          <SegmentedControl
            size="xs"
            aria-label="Order"
            value={order}
            onChange={setOrder}
            data={[
              { value: 'count', label: 'By count' },
              { value: 'state', label: 'By state' },
            ]}
          />
          <SegmentedControl
            size="xs"
            aria-label="Unit"
            value={unit}
            onChange={setUnit}
            data={[
              { value: 'counts', label: 'Counts' },
              { value: 'share', label: 'Share' },
            ]}
          />
        </div>
      </div>
      <table className="histogram">
        <thead className="sr-only">
          <tr>
            <th scope="col">State</th>
            <th scope="col">Bar</th>
            <th scope="col">{unit === 'counts' ? 'Count' : 'Share'}</th>
          </tr>
        </thead>
        <tbody>
          {bars.map(([state, count]) => (
            <tr key={state}>
              <th scope="row">|{state}⟩</th>
              <td>
                <div className="mark" style={{ width: `${(100 * count) / largest}%` }} />
              </td>
              <td>{say(count)}</td>
            </tr>
          ))}
          {counts.length > bars.length && (
            <tr className="quiet">
              <th scope="row">{whole.format(counts.length - bars.length)} others</th>
              <td />
              <td>{say(without)}</td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}
