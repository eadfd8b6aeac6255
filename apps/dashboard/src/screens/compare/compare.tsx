import type { ExecutionRecord } from '@kethub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useActing } from '../../data/context.tsx';
import { executionQuery, isEnded, recordQuery, resultQuery } from '../../data/queries.ts';
import { PageHead, shortId, State } from '../../look/parts.tsx';
import { bytes, duration } from '../../look/time.ts';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { plain } from '../executions/result-members.ts';
import { Result } from '../../viewers/viewer.tsx';
import { differencesOf, MOST } from './differences.ts';

/** Two executions beside each other: what they ran on, and where their results differ. Both stand in the address. */
export function Compare() {
  useTitle('Compare');
  const { base } = useActing();
  const search = useSearch({ strict: false }) as { first?: unknown; second?: unknown };
  const [first, second] = [text(search.first), text(search.second)];
  if (first === '' || second === '')
    return <div className="panel quiet">Open an execution and choose there with which other one to compare it.</div>;
  return (
    <>
      <PageHead
        trail={<Link to={`${base}/executions`}>Executions</Link>}
        title="Compare"
        note={
          <span className="quiet mono small">
            {shortId(first)} and {shortId(second)}
          </span>
        }
      />
      <Both first={first} second={second} />
    </>
  );
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function useSide(id: string) {
  const acting = useActing();
  const execution = useQuery(executionQuery(acting, id));
  const isOver = execution.data !== undefined && isEnded(execution.data);
  const record = useQuery({ ...recordQuery(acting, id), enabled: execution.isSuccess });
  const result = useQuery({ ...resultQuery(acting, id), enabled: isOver && execution.data?.status !== 'CANCELLED' });
  return { execution, record, value: useMemo(() => plain(result.data), [result.data]), isOver };
}

function Both({ first, second }: { readonly first: string; readonly second: string }) {
  const { base } = useActing();
  const left = useSide(first);
  const right = useSide(second);
  const differences = useMemo(() => differencesOf(left.value, right.value), [left.value, right.value]);
  const error = left.execution.error ?? right.execution.error ?? left.record.error ?? right.record.error;
  if (error) return <Problem error={error} />;
  if (!left.execution.data || !right.execution.data || !left.record.data || !right.record.data)
    return <div className="panel quiet">Loading…</div>;
  const facts = factsOf(left.record.data).map(([name, value], index) => ({
    name,
    first: value,
    second: factsOf(right.record.data as ExecutionRecord)[index]?.[1] ?? '–',
  }));
  return (
    <div className="stack">
      <section className="panel flush" aria-labelledby="record">
        <div className="panel-head">
          <h2 id="record">Record</h2>
        </div>
        <table className="list">
          <thead>
            <tr>
              <td />
              <th scope="col">
                <Link to={`${base}/executions/${first}`} className="mono">
                  {shortId(first)}
                </Link>
              </th>
              <th scope="col">
                <Link to={`${base}/executions/${second}`} className="mono">
                  {shortId(second)}
                </Link>
              </th>
            </tr>
          </thead>
          <tbody>
            <tr>
              <th scope="row">State</th>
              <td>
                <State of={left.execution.data.status} />
              </td>
              <td>
                <State of={right.execution.data.status} />
              </td>
            </tr>
            {facts.map(({ name, first: one, second: other }) => (
              <tr key={name} className={one === other ? undefined : 'differs'}>
                <th scope="row">{name}</th>
                <td className="numbers">{one}</td>
                <td className="numbers">{other}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <section className="panel flush" aria-labelledby="differences">
        <div className="panel-head">
          <h2 id="differences">Where the results differ</h2>
        </div>
        {differences.length === 0 ? (
          <p className="quiet panel-text">
            {left.isOver && right.isOver ? 'Nowhere: both results are the same.' : 'One of them has not ended yet.'}
          </p>
        ) : (
          <table className="list">
            <thead>
              <tr>
                <th scope="col">Where</th>
                <th scope="col">{shortId(first)}</th>
                <th scope="col">{shortId(second)}</th>
              </tr>
            </thead>
            <tbody>
              {differences.map(({ path, first: one, second: other }) => (
                <tr key={path}>
                  <td className="mono">{path === '' ? 'the whole' : path}</td>
                  <td className="numbers">{one ?? <span className="quiet">nothing</span>}</td>
                  <td className="numbers">{other ?? <span className="quiet">nothing</span>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
        {differences.length === MOST && <p className="quiet panel-text">Only the first {MOST} places are shown.</p>}
      </section>
      <div className="split">
        {[[first, left.value] as const, [second, right.value] as const].map(([id, value]) => (
          <section key={id} className="panel stack" aria-label={`Result of ${shortId(id)}`}>
            <h2 className="mono">{shortId(id)}</h2>
            {value === undefined ? (
              <p className="quiet">No result.</p>
            ) : (
              <Result value={value} name={id} of={shortId(id)} />
            )}
          </section>
        ))}
      </div>
    </div>
  );
}

/** Members by which two records are compared, always in the same order. */
function factsOf({ service, input, result, code, environment, timings, usage }: ExecutionRecord) {
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    ['Service', service.name],
    ['Version', service.version],
    ['Input', input && `SHA-256 ${input.digest.slice(0, 12)}…, ${bytes(input.bytes)}`],
    ['Result', result && `SHA-256 ${result.digest.slice(0, 12)}…, ${bytes(result.bytes)}`],
    ['Code', code && `SHA-256 ${code.digest.slice(0, 12)}…`],
    ['Environment', environment && `SHA-256 ${environment.digest.slice(0, 12)}…`],
    ['Waited', timings.waitedMs === null ? null : duration(timings.waitedMs)],
    ['Ran', timings.ranMs === null ? null : duration(timings.ranMs)],
    ['Computing time', usage?.cpuSeconds == null ? null : `${usage.cpuSeconds.toFixed(2)} s`],
    ['Memory', usage?.peakMemoryBytes == null ? null : bytes(usage.peakMemoryBytes)],
  ];
  return facts.map(([name, value]) => [name, value ?? '–'] as const);
}
