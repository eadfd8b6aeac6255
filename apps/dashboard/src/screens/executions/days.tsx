import type { ExecutionCounts } from '@kethub/contract';
import { useQuery } from '@tanstack/react-query';
import { useActing } from '../../data/context.tsx';
import { isMissing } from '../../data/form-query.ts';
import { executionDaysQuery } from '../../data/queries.ts';
import { Problem } from '../../shell/problem.tsx';
import { columnsOf, totalOf } from './day-columns.ts';

/** Height of the tallest column in pixels. */
const HEIGHT = 72;

/** Numbers of executions by day: how many succeeded, failed, and everything else. */
export function Days({ serviceId }: { readonly serviceId?: string }) {
  const counts = useQuery(executionDaysQuery(useActing(), serviceId));
  if (isMissing(counts)) return <Problem error={counts.error} onRetry={() => void counts.refetch()} />;
  if (!counts.data) return <div className="panel quiet">Loading…</div>;
  return <Chart counts={counts.data} />;
}

function Chart({ counts }: { readonly counts: ExecutionCounts }) {
  const columns = columnsOf(counts);
  const greatest = Math.max(1, ...columns.map(({ total }) => total));
  const { total, succeeded, failed } = totalOf(counts.total);
  const height = (count: number): string => `${count === 0 ? 0 : Math.max(1, (HEIGHT * count) / greatest)}px`;
  return (
    <section className="panel stack" aria-labelledby="days">
      <div className="row apart">
        <h2 id="days">Executions by day</h2>
        <span className="quiet numbers">
          {total} in {columns.length} days, {succeeded} succeeded, {failed} failed
        </span>
      </div>
      <table className="days">
        <caption className="sr-only">Numbers of executions by day (UTC)</caption>
        <thead className="sr-only">
          <tr>
            <th scope="col">Day</th>
            <th scope="col">All</th>
            <th scope="col">Failed</th>
          </tr>
        </thead>
        <tbody>
          {columns.map(({ day, total, succeeded, failed, others }) => (
            <tr key={day} title={`${day}: ${total}, ${succeeded} succeeded, ${failed} failed`}>
              <th scope="row" className="sr-only">
                {day}
              </th>
              <td>
                <span className="sr-only">{total}</span>
                <span className="mark others" style={{ height: height(others) }} />
                <span className="mark failed" style={{ height: height(failed) }} />
                <span className="mark" style={{ height: height(succeeded) }} />
              </td>
              <td className="sr-only">{failed}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className="row apart small quiet numbers">
        <span>{columns[0]?.day}</span>
        <span>{columns.at(-1)?.day}</span>
      </div>
    </section>
  );
}
