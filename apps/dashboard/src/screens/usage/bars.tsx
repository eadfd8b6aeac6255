import { monthInWords, shortMonth, type Bar } from './months.ts';

/** Sums of months as bars. A click on one chooses its month. */
export function Bars({
  bars,
  currency,
  chosen,
  onChoose,
}: {
  readonly bars: readonly Bar[];
  readonly currency: string;
  readonly chosen: string;
  readonly onChoose: (month: string) => void;
}) {
  const greatest = Math.max(...bars.map(({ value }) => value)) || 1;
  return (
    <ul className="bars" aria-label={`Months in ${currency}`}>
      {bars.map(({ month, text, value }) => (
        <li key={month}>
          <button
            type="button"
            aria-pressed={month === chosen}
            title={`${monthInWords(month)}: ${text} ${currency}`}
            onClick={() => onChoose(month)}
          >
            <span className="numbers small">{value === 0 ? <span className="sr-only">nothing</span> : text}</span>
            <span className="mark" style={{ height: `${Math.max(value > 0 ? 2 : 0, (100 * value) / greatest)}px` }} />
            <span className="small">{shortMonth(month)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
