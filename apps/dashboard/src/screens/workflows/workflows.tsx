import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useActing, useMay } from '../../data/context.tsx';
import { servicesQuery } from '../../data/queries.ts';
import { Icon } from '../../look/icons.tsx';
import { useEveryPage } from '../../look/more.tsx';
import { Code, Ket, PageHead, TableHead, Time } from '../../look/parts.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { NewWorkflow } from '../model/new-workflow.tsx';
import { VersionState } from '../services/service-list.tsx';
import { SignalForm } from './signal-form.tsx';

/** The workflows of the person or the organization. */
export function Workflows() {
  useTitle('Workflows');
  const acting = useActing();
  const mayCreate = useMay('service:create');
  const services = useInfiniteQuery(servicesQuery(acting));
  useEveryPage(services);
  const rows = (services.data?.pages.flat() ?? []).filter(({ type }) => type === 'WORKFLOW');
  const maySignal = useMay('workflow-signal:broadcast');
  const [isNaming, setNaming] = useState(false);
  const [isSignalling, setSignalling] = useState(false);
  const create = mayCreate && (
    <div className="row">
      <Button variant="default" renderRoot={(props) => <Link to={`${acting.base}/services/new`} {...props} />}>
        Upload a file
      </Button>
      <Button leftSection={<Icon name="plus" />} onClick={() => setNaming(true)}>
        New workflow
      </Button>
    </div>
  );
  return (
    <>
      <PageHead
        title="Workflows"
        actions={
          rows.length > 0 && (
            <div className="row">
              {maySignal && (
                <Button variant="default" onClick={() => setSignalling(true)}>
                  Broadcast a signal
                </Button>
              )}
              {create}
            </div>
          )
        }
      />
      {isSignalling && <SignalForm onClose={() => setSignalling(false)} />}
      {isNaming && <NewWorkflow onClose={() => setNaming(false)} />}
      <div className="stack">
        {services.error && <Problem error={services.error} onRetry={() => void services.refetch()} />}
        {services.isPending && <div className="panel quiet">Loading…</div>}
        {services.isSuccess && rows.length === 0 && !services.hasNextPage && (
          <div className="panel empty">
            <p style={{ margin: 0 }}>
              A workflow calls services one after the other, in parallel, or as data decide. It is a BPMN file;
              published, it is called like any service.
            </p>
            {create}
            <p className="quiet small" style={{ margin: 0 }}>
              The same from a shell:
            </p>
            <div style={{ width: '100%' }}>
              <Code label="Command" text="npm run ket -- up my-workflow" />
            </div>
          </div>
        )}
        {rows.length > 0 && (
          <div className="panel flush">
            <table className="list">
              <TableHead columns={['Name', 'Newest version', 'State', 'Instances', 'Created']} />
              <tbody>
                {rows.map(({ id, name, createdAt, versions: [newest] }) => (
                  <tr key={id}>
                    <td>
                      <Link to={`${acting.base}/services/${id}`} className="name">
                        <Ket>{name}</Ket>
                      </Link>
                    </td>
                    <td className="numbers">{newest?.version ?? '–'}</td>
                    <td>{newest && <VersionState version={newest} />}</td>
                    <td>
                      <Link to={`${acting.base}/services/${id}/instances`}>Instances</Link>
                    </td>
                    <td className="quiet">
                      <Time at={createdAt} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </div>
    </>
  );
}
