import { useMemo } from 'react';

/** Points that are drawn; of more, the least and the greatest of each stretch. */
const MOST_POINTS = 800;
const number = new Intl.NumberFormat('en', { maximumSignificantDigits: 6 });

/** A list of numbers as a line over their index. */
export function LineChart({ numbers }: { readonly numbers: readonly number[] }) {
  const { path, least, greatest } = useMemo(() => draw(numbers), [numbers]);
  return (
    <figure style={{ margin: 0 }}>
      <svg
        className="chart"
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        role="img"
        aria-label={`Line of ${numbers.length} numbers from ${number.format(least)} to ${number.format(greatest)}`}
      >
        <path d={path} fill="none" stroke="currentColor" strokeWidth="1.6" vectorEffect="non-scaling-stroke" />
      </svg>
      <figcaption className="row apart small quiet numbers">
        <span>
          {number.format(numbers.length)} values, from {number.format(least)} to {number.format(greatest)}
        </span>
        <span>last {number.format(numbers.at(-1) ?? 0)}</span>
      </figcaption>
    </figure>
  );
}

function draw(numbers: readonly number[]): { path: string; least: number; greatest: number } {
  let [least, greatest] = [Infinity, -Infinity];
  for (const one of numbers) [least, greatest] = [Math.min(least, one), Math.max(greatest, one)];
  const span = greatest - least || 1;
  const stretch = Math.max(1, Math.ceil((2 * numbers.length) / MOST_POINTS));
  const points: [number, number][] = [];
  for (let start = 0; start < numbers.length; start += stretch) {
    const part = numbers.slice(start, start + stretch);
    const ends = stretch === 1 ? part : [Math.min(...part), Math.max(...part)];
    ends.forEach((one, index) => points.push([start + (index * stretch) / 2, one]));
  }
  const path = points.map(([x, y], index) => {
    const across = (100 * x) / Math.max(1, numbers.length - 1);
    const down = 96 - (92 * (y - least)) / span;
    return `${index === 0 ? 'M' : 'L'}${across.toFixed(2)} ${down.toFixed(2)}`;
  });
  return { path: path.join(''), least, greatest };
}

/** A matrix of numbers as a heat map; each cell has its number as title. */
export function Matrix({ rows }: { readonly rows: readonly (readonly number[])[] }) {
  const greatest = Math.max(...rows.flat().map(Math.abs)) || 1;
  return (
    <div className="scroll">
      <table className="matrix" style={{ borderCollapse: 'collapse' }}>
        <caption className="small quiet" style={{ textAlign: 'left', captionSide: 'bottom' }}>
          {rows.length} × {rows[0]?.length ?? 0}, darkest at ±{number.format(greatest)}
        </caption>
        <tbody>
          {rows.map((row, down) => (
            <tr key={down}>
              {row.map((one, across) => (
                <td
                  key={across}
                  title={`${down}, ${across}: ${one}`}
                  style={{
                    background: `color-mix(in srgb, var(${one < 0 ? '--failed' : '--accent'}) ${Math.round((100 * Math.abs(one)) / greatest)}%, var(--page))`,
                  }}
                >
                  <span className="sr-only">{one}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
