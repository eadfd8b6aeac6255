import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useActing, useMay } from '../../data/context.tsx';
import { dataPoolsQuery } from '../../data/queries.ts';
import { Icon } from '../../look/icons.tsx';
import { Code, PageHead, TableHead, Time } from '../../look/parts.tsx';
import { bytes } from '../../look/time.ts';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { PoolForm } from './pool-form.tsx';
import { rightsInWords } from './roles.ts';

/** The data pools of the person or the organization, and those that others have opened to them. */
export function DataPools() {
  useTitle('Data pools');
  const acting = useActing();
  const mayCreate = useMay('data-pool:create');
  const pools = useQuery(dataPoolsQuery(acting));
  const rows = pools.data ?? [];
  const [isCreating, setCreating] = useState(false);
  const create = mayCreate && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setCreating(true)}>
      New data pool
    </Button>
  );
  return (
    <>
      <PageHead title="Data pools" actions={rows.length > 0 && create} />
      <div className="stack">
        {pools.error && <Problem error={pools.error} onRetry={() => void pools.refetch()} />}
        {pools.isPending && <div className="panel quiet">Loading…</div>}
        {pools.isSuccess && rows.length === 0 && (
          <div className="panel empty">
            <p style={{ margin: 0 }}>
              A data pool holds files that executions read: training data, graphs, measurements. They are uploaded once,
              and an input names the pool in place of the data.
            </p>
            {create}
            <p className="quiet small" style={{ margin: 0 }}>
              A service takes one with a parameter of the type <code>DataPool</code>:
            </p>
            <div style={{ width: '100%' }}>
              <Code
                label="Example"
                text={'from kethub import DataPool\n\ndef run(graphs: DataPool) -> dict:\n    ...'}
              />
            </div>
          </div>
        )}
        {rows.length > 0 && (
          <div className="panel flush">
            <table className="list">
              <TableHead columns={['Name', 'Files', 'Size', 'Your role', 'Created']} />
              <tbody>
                {rows.map(({ id, name, files, bytes: size, role, createdAt }) => (
                  <tr key={id}>
                    <td>
                      <Link to={`${acting.base}/data-pools/${id}`} className="name">
                        {name}
                      </Link>
                    </td>
                    <td className="numbers">{files === 1 ? '1 file' : `${files} files`}</td>
                    <td className="numbers">{bytes(size)}</td>
                    <td className="quiet">{rightsInWords(role)}</td>
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
      {isCreating && <Create onClose={() => setCreating(false)} />}
    </>
  );
}

function Create({ onClose }: { readonly onClose: () => void }) {
  const acting = useActing();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: (texts: { name: string; description: string }) => acting.platform.createDataPool({ json: texts }),
    async onSuccess({ id }) {
      await queries.invalidateQueries({ queryKey: dataPoolsQuery(acting).queryKey });
      await navigate({ to: `${acting.base}/data-pools/${id}` });
    },
  });
  return <PoolForm title="New data pool" action="Create" request={create} onClose={onClose} />;
}
