import { Button, Progress } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isMissing } from '../../data/form-query.ts';
import { useActing, useMay } from '../../data/context.tsx';
import { storageQuery } from '../../data/usage-queries.ts';
import { bytes } from '../../look/time.ts';
import { Problem } from '../../shell/problem.tsx';
import { Retention } from './retention.tsx';

/** Bytes that are kept on the platform, against the quota, and how long results are kept. */
export function Storage() {
  const storage = useQuery(storageQuery(useActing()));
  const mayChange = useMay('storage:change');
  const [isChoosing, setChoosing] = useState(false);
  if (isMissing(storage)) return <Problem error={storage.error} onRetry={() => void storage.refetch()} />;
  if (!storage.data) return <div className="panel quiet">Loading…</div>;
  const { usedBytes, quotaBytes, keepDays, retention, ...parts } = storage.data;
  const facts: readonly (readonly [string, number])[] = [
    ['Data pools', parts.dataPoolBytes],
    ['Result files', parts.fileBytes],
    ['Results and records', parts.resultBytes],
    ['Logs', parts.logBytes],
    ['Services', parts.serviceBytes],
    ['Inputs of what runs', parts.inputBytes],
  ];
  const kept = retention.keepDays ?? keepDays;
  return (
    <section className="panel stack" aria-labelledby="storage">
      <h2 id="storage">Storage</h2>
      <div>
        <strong className="numbers">{bytes(usedBytes)}</strong>{' '}
        <span className="quiet">{quotaBytes === null ? 'used, without a quota' : `used of ${bytes(quotaBytes)}`}</span>
      </div>
      {quotaBytes !== null && (
        <Progress
          aria-label="Used storage"
          value={Math.min(100, (100 * usedBytes) / Math.max(1, quotaBytes))}
          color={usedBytes > 0.9 * quotaBytes ? 'red' : 'ket'}
        />
      )}
      <dl className="facts numbers">
        {facts.map(([name, count]) => (
          <div key={name} style={{ display: 'contents' }}>
            <dt>{name}</dt>
            <dd>{bytes(count)}</dd>
          </div>
        ))}
        <dt>Results are kept</dt>
        <dd>
          {kept === null ? 'for good' : `${kept} days after the end`}
          {retention.services.length > 0 && `, of ${retention.services.length} services for a shorter time`}
        </dd>
      </dl>
      {mayChange && (
        <div>
          <Button variant="default" onClick={() => setChoosing(true)}>
            Keep results for another time
          </Button>
        </div>
      )}
      {isChoosing && <Retention usage={storage.data} onClose={() => setChoosing(false)} />}
    </section>
  );
}
