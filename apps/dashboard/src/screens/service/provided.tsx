import { Button, Modal, Select } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { isMissing } from '../../data/form-query.ts';
import { providedExecutionsQuery, providedRecordQuery, serviceQuery } from '../../data/queries.ts';
import { LongRows } from '../../look/long-rows.tsx';
import { More } from '../../look/more.tsx';
import { shortId, State, TableHead, Time } from '../../look/parts.tsx';
import { Problem } from '../../shell/problem.tsx';
import { Days } from '../executions/days.tsx';
import { ranFor } from '../executions/execution-list.tsx';
import { StatusFilter } from '../executions/filter-bar.tsx';
import { filterOf, searchOf } from '../executions/filter.ts';
import { RecordFacts } from '../executions/record.tsx';
import { useServiceAddress } from './use-service.ts';

/** Every execution of the service, whoever started it. A provider sees neither input nor result of others. */
export function Provided() {
  const { acting, serviceId, at } = useServiceAddress();
  const navigate = useNavigate();
  const { status, version } = filterOf(useSearch({ strict: false }));
  const filter = { ...(status !== undefined && { status }), ...(version !== undefined && { version }) };
  const show = (wanted: typeof filter): void => void navigate({ to: `${at}/executions`, search: searchOf(wanted) });
  const executions = useInfiniteQuery(providedExecutionsQuery(acting, serviceId, filter));
  const service = useQuery(serviceQuery(acting, serviceId));
  const [shown, setShown] = useState<string | null>(null);
  const rows = executions.data?.pages.flat() ?? [];
  const isFiltered = Object.keys(filter).length > 0;
  if (isMissing(executions)) return <Problem error={executions.error} onRetry={() => void executions.refetch()} />;
  if (executions.isPending) return <div className="panel quiet">Loading…</div>;
  if (rows.length === 0 && !isFiltered)
    return <div className="panel quiet">Nobody has run this service yet. Every execution of it is listed here.</div>;
  return (
    <div className="stack">
      <p className="quiet" style={{ margin: 0 }}>
        Executions of this service, whoever started them. Input, result and log are seen by those who started it alone.
      </p>
      <Days serviceId={serviceId} />
      <div className="row">
        <StatusFilter
          status={status}
          onChange={(next) => show({ ...(version !== undefined && { version }), ...(next && { status: next }) })}
        />
        <Select
          aria-label="Version"
          placeholder="Every version"
          data={(service.data?.versions ?? []).map((one) => one.version)}
          value={version ?? null}
          onChange={(next) =>
            show({ ...(status !== undefined && { status }), ...(next !== null && { version: next }) })
          }
          clearable
        />
      </div>
      {executions.error && <Problem error={executions.error} onRetry={() => void executions.refetch()} />}
      {rows.length === 0 ? (
        <div className="panel quiet">No execution fits this filter.</div>
      ) : (
        <div className="panel flush">
          <table className="list" aria-rowcount={rows.length + 1}>
            <TableHead columns={['Execution', 'State', 'Version', 'Ran', 'When']} spoken="Record" />
            <LongRows rows={rows}>
              {({ id, status, version, createdAt, startedAt, endedAt }) => (
                <>
                  <td className="mono" title={id}>
                    {shortId(id)}
                  </td>
                  <td>
                    <State of={status} />
                  </td>
                  <td className="numbers">{version ?? '–'}</td>
                  <td className="quiet numbers">{ranFor(startedAt, endedAt)}</td>
                  <td className="quiet">
                    <Time at={createdAt} />
                  </td>
                  <td>
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={`Record of ${shortId(id)}`}
                      onClick={() => setShown(id)}
                    >
                      Record
                    </Button>
                  </td>
                </>
              )}
            </LongRows>
          </table>
        </div>
      )}
      <More of={executions} />
      {shown !== null && <ProvidedRecord executionId={shown} onClose={() => setShown(null)} />}
    </div>
  );
}

/** Record of an execution as the provider sees it: what ran on what, without anything of whoever started it. */
function ProvidedRecord({ executionId, onClose }: { readonly executionId: string; readonly onClose: () => void }) {
  const { acting, serviceId } = useServiceAddress();
  const record = useQuery(providedRecordQuery(acting, serviceId, executionId));
  return (
    <Modal opened onClose={onClose} title={`Execution ${shortId(executionId)}`} size="lg" lockScroll={false}>
      {record.error && <Problem error={record.error} onRetry={() => void record.refetch()} />}
      {record.isPending && <p className="quiet">Loading…</p>}
      {record.data && <RecordFacts record={record.data} name={executionId} />}
    </Modal>
  );
}
