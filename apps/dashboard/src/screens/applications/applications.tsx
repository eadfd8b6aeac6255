import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { applicationsQuery } from '../../data/application-queries.ts';
import { useActing, useMay } from '../../data/context.tsx';
import { Icon } from '../../look/icons.tsx';
import { More } from '../../look/more.tsx';
import { Code, PageHead, TableHead, Time } from '../../look/parts.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { NameForm } from '../../forms/name-form.tsx';

/** The applications of the person or the organization. */
export function Applications() {
  useTitle('Applications');
  const acting = useActing();
  const mayCreate = useMay('application:create');
  const applications = useInfiniteQuery(applicationsQuery(acting));
  const rows = applications.data?.pages.flat() ?? [];
  const [isCreating, setCreating] = useState(false);
  const create = mayCreate && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setCreating(true)}>
      New application
    </Button>
  );
  return (
    <>
      <PageHead title="Applications" actions={rows.length > 0 && create} />
      <div className="stack">
        {applications.error && <Problem error={applications.error} onRetry={() => void applications.refetch()} />}
        {applications.isPending && <div className="panel quiet">Loading…</div>}
        {applications.isSuccess && rows.length === 0 && (
          <div className="panel empty">
            <p style={{ margin: 0 }}>
              An application is a program that calls services: a notebook, a web page, a job at night. It has a key pair
              of its own and subscribes to the services that it calls.
            </p>
            {create}
            <p className="quiet small" style={{ margin: 0 }}>
              From a shell, <code>ket run</code> makes an application of its own and subscribes it to your services:
            </p>
            <div style={{ width: '100%' }}>
              <Code label="Command" text="npm run ket -- run my-service" />
            </div>
          </div>
        )}
        {rows.length > 0 && (
          <div className="panel flush">
            <table className="list">
              <TableHead columns={['Name', 'Access keys', 'Created']} />
              <tbody>
                {rows.map(({ id, name, accessKeys, createdAt }) => (
                  <tr key={id}>
                    <td>
                      <Link to={`${acting.base}/applications/${id}`} className="name">
                        {name}
                      </Link>
                    </td>
                    <td className="quiet numbers">
                      {accessKeys.length === 1 ? '1 key pair' : `${accessKeys.length} key pairs`}
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
        <More of={applications} />
      </div>
      {isCreating && <Create onClose={() => setCreating(false)} />}
    </>
  );
}

function Create({ onClose }: { readonly onClose: () => void }) {
  const acting = useActing();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: (name: string) => acting.platform.createApplication({ json: { name } }),
    async onSuccess({ id }) {
      await queries.invalidateQueries({ queryKey: [acting.base, 'applications'] });
      await navigate({ to: `${acting.base}/applications/${id}` });
    },
  });
  return (
    <NameForm
      title="New application"
      action="Create"
      hint="Shows later which program uses its keys."
      request={create}
      onClose={onClose}
    />
  );
}
