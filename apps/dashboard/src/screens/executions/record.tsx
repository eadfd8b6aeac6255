import type { ExecutionRecord } from '@kethub/contract';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useActing } from '../../data/context.tsx';
import { isMissing } from '../../data/form-query.ts';
import { recordQuery } from '../../data/queries.ts';
import { bytes, duration } from '../../look/time.ts';
import { Problem } from '../../shell/problem.tsx';
import { save } from '../../viewers/save.ts';
import { Tree } from '../../viewers/tree.tsx';

/** Record of an execution: hashes, limits and use, to repeat and to trust it. */
export function Record({ executionId, ended }: { readonly executionId: string; readonly ended: boolean }) {
  const record = useQuery({ ...recordQuery(useActing(), executionId), staleTime: ended ? Infinity : 0 });
  if (isMissing(record)) return <Problem error={record.error} onRetry={() => void record.refetch()} />;
  if (!record.data) return <p className="quiet">Loading…</p>;
  return <RecordFacts record={record.data} name={executionId} />;
}

/** A record in short, and everything in it. `name` is that of the file to download. */
export function RecordFacts({ record, name: file }: { readonly record: ExecutionRecord; readonly name: string }) {
  const { timings, usage, limits, exit, code } = record;
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    ['Waited', timings.waitedMs === null ? null : duration(timings.waitedMs)],
    ['Ran', timings.ranMs === null ? null : duration(timings.ranMs)],
    ['Computing time', usage?.cpuSeconds == null ? null : `${usage.cpuSeconds.toFixed(2)} s`],
    [
      'Memory',
      usage?.peakMemoryBytes == null
        ? null
        : `${bytes(usage.peakMemoryBytes)}${limits ? ` of ${bytes(limits.memoryBytes)}` : ''}`,
    ],
    ['Input', usage ? bytes(usage.bytesIn) : null],
    ['Result and files', usage ? bytes(usage.bytesOut) : null],
    ['Ended by', exit?.reason],
    ['Code', code ? `SHA-256 ${code.digest}` : null],
    ['Commit', code?.origin ? `${code.origin.commit} (${code.origin.ref})` : null],
  ];
  return (
    <div className="stack">
      <dl className="facts numbers">
        {facts.flatMap(([name, value]) =>
          value == null
            ? []
            : [
                <div key={name} style={{ display: 'contents' }}>
                  <dt>{name}</dt>
                  <dd>{value}</dd>
                </div>,
              ],
        )}
      </dl>
      <div className="row apart">
        <h3>Everything that was recorded</h3>
        <Button
          size="compact-xs"
          variant="default"
          onClick={() =>
            save(new Blob([JSON.stringify(record, null, 2)], { type: 'application/json' }), `${file}-record.json`)
          }
        >
          Download
        </Button>
      </div>
      <Tree value={record} />
    </div>
  );
}
