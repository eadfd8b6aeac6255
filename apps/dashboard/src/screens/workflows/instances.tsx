import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../data/context.tsx';
import { instanceCountsQuery, instancesQuery, standsStill } from '../../data/workflow-queries.ts';
import { serviceQuery } from '../../data/queries.ts';
import { More } from '../../look/more.tsx';
import { shortId, State, TableHead, Time } from '../../look/parts.tsx';
import { Problem } from '../../shell/problem.tsx';
import { ranFor } from '../executions/execution-list.tsx';
import { useServiceAddress } from '../service/use-service.ts';
import { IncidentsOfWorkflow } from './incidents.tsx';
import { Counts, Filters, useInstanceFilter } from './instances-filter.tsx';
import { MessageForm } from './message-form.tsx';
import { Schedules } from './schedules.tsx';

/** Instances of a workflow, what keeps them from going on, and its schedules. */
export function Instances() {
  const { acting, serviceId, at } = useServiceAddress();
  const service = useQuery(serviceQuery(acting, serviceId));
  const filter = useInstanceFilter();
  const instances = useInfiniteQuery(instancesQuery(acting, serviceId, filter));
  const counts = useQuery(instanceCountsQuery(acting, serviceId, filter));
  const isFiltered = Object.keys(filter).length > 0;
  const mayPublish = useMay('workflow-message:publish');
  const [isSending, setSending] = useState(false);
  const rows = instances.data?.pages.flat() ?? [];
  const deployed = service.data?.versions.some(({ state }) => state === 'PUBLISHED') ?? false;
  return (
    <div className="stack">
      {mayPublish && deployed && (
        <div>
          <Button variant="default" onClick={() => setSending(true)}>
            Send a message
          </Button>
        </div>
      )}
      <IncidentsOfWorkflow />
      <Schedules />
      {(isFiltered || (counts.data?.counted ?? 0) > 0) && (
        <div className="stack" style={{ gap: 8 }}>
          {counts.data && <Counts counts={counts.data} filter={filter} />}
          <Filters
            filter={filter}
            versions={[...new Set(service.data?.versions.map(({ version }) => version) ?? [])]}
          />
        </div>
      )}
      {instances.error && <Problem error={instances.error} onRetry={() => void instances.refetch()} />}
      {instances.isPending && <div className="panel quiet">Loading…</div>}
      {instances.isSuccess && rows.length === 0 && isFiltered && (
        <div className="panel quiet">No instance fits this filter.</div>
      )}
      {instances.isSuccess && rows.length === 0 && !isFiltered && (
        <div className="panel empty">
          <p style={{ margin: 0 }}>
            No instance yet. Each execution of the workflow is one: <Link to={`${at}/run`}>run it</Link>, call its
            address, or send a message that starts it.
          </p>
        </div>
      )}
      {rows.length > 0 && (
        <div className="panel flush">
          <table className="list">
            <TableHead columns={['Instance', 'State', 'Version', 'Incidents', 'Ran', 'Started']} />
            <tbody>
              {rows.map(({ id, phase, version, incidents, childIncidents, parentId, createdAt, endedAt }) => (
                <tr key={id}>
                  <td>
                    <Link to={`${at}/instances/${id}`} className="name mono" title={id}>
                      {shortId(id)}
                    </Link>{' '}
                    {parentId !== null && <span className="quiet small">called by another</span>}
                  </td>
                  <td>
                    <State of={standsStill({ incidents, childIncidents }) ? 'INCIDENT' : phase} />
                  </td>
                  <td className="numbers">{version ?? '–'}</td>
                  <td className="numbers">
                    <span className="narrow-label">incidents: </span>
                    {incidents}
                    {childIncidents > 0 && <span className="quiet">, {childIncidents} in what it calls</span>}
                  </td>
                  <td className="quiet numbers">{ranFor(createdAt, endedAt)}</td>
                  <td className="quiet">
                    <Time at={createdAt} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <More of={instances} />
      {isSending && <MessageForm onClose={() => setSending(false)} />}
    </div>
  );
}
