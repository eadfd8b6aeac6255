import type { DataPool } from '@kethub/contract';
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isMissing } from '../../data/form-query.ts';
import { isEnough, useMay } from '../../data/context.tsx';
import { dataPoolQuery } from '../../data/data-pool-queries.ts';
import { dataPoolsQuery, meQuery } from '../../data/queries.ts';
import { tagged } from '../../data/tagged.ts';
import { ChangeTexts, NAME_AND_DESCRIPTION } from '../../forms/texts-form.tsx';
import { Transfer } from '../../forms/transfer.tsx';
import { CopyButton, PageHead } from '../../look/parts.tsx';
import { bytes } from '../../look/time.ts';
import { Confirm } from '../../shell/confirm.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { PoolFiles } from './files.tsx';
import { Members } from './members.tsx';
import { useDataPoolAddress } from './use-data-pool.ts';

/** One data pool: its files and who may use them. */
export function DataPoolPage() {
  const { acting, dataPoolId } = useDataPoolAddress();
  const pool = useQuery(dataPoolQuery(acting, dataPoolId));
  const me = useQuery(meQuery(acting.platform));
  const mayLeaveHere = useMay('data-pool:leave');
  const [asked, setAsked] = useState<'texts' | 'transfer' | 'deletion' | 'leaving' | null>(null);
  useTitle(pool.data?.name ?? 'Data pool');
  if (isMissing(pool)) return <Problem error={pool.error} onRetry={() => void pool.refetch()} />;
  if (!pool.data) return <div className="quiet">Loading…</div>;
  const { name, description, files, bytes: size, role, id, owner } = pool.data;
  const isOwn = owner.id === (acting.organizationId ?? me.data?.id);
  return (
    <>
      <PageHead
        trail={<Link to={`${acting.base}/data-pools`}>Data pools</Link>}
        title={name}
        note={
          <div className="row quiet small">
            <span className="numbers">
              {files === 1 ? '1 file' : `${files} files`}, {bytes(size)}
            </span>
            <span className="mono">{id}</span>
            <CopyButton value={id} label="Copy the id" />
          </div>
        }
        actions={
          isEnough(role, 'data-pool:change') && (
            <Button variant="default" onClick={() => setAsked('texts')}>
              Edit name and description
            </Button>
          )
        }
      />
      <div className="stack">
        {description !== '' && (
          <p style={{ margin: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{description}</p>
        )}
        <PoolFiles role={role} />
        <Members role={role} owner={owner} />
        <div className="row">
          {isOwn && isEnough(role, 'data-pool:transfer') && (
            <Button variant="default" onClick={() => setAsked('transfer')}>
              Give the data pool away
            </Button>
          )}
          {isOwn && isEnough(role, 'data-pool:delete') && (
            <Button variant="default" onClick={() => setAsked('deletion')} style={{ color: 'var(--failed)' }}>
              Delete the data pool
            </Button>
          )}
          {me.isSuccess && !isOwn && mayLeaveHere && (
            <Button variant="default" onClick={() => setAsked('leaving')}>
              Leave the data pool
            </Button>
          )}
        </div>
      </div>
      {asked === 'texts' && <Edit onClose={() => setAsked(null)} />}
      {asked === 'transfer' && (
        <Transfer
          what={name}
          path={`/data-pools/${dataPoolId}`}
          give={(to) => acting.platform.transferDataPool({ dataPoolId, json: to })}
          onClose={() => setAsked(null)}
        />
      )}
      {asked === 'deletion' && <End kind="deletion" name={name} onClose={() => setAsked(null)} />}
      {asked === 'leaving' && <End kind="leaving" name={name} onClose={() => setAsked(null)} />}
    </>
  );
}

function Edit({ onClose }: { readonly onClose: () => void }) {
  const { acting, dataPoolId } = useDataPoolAddress();
  const queries = useQueryClient();
  return (
    <ChangeTexts
      title="Name and description"
      fields={NAME_AND_DESCRIPTION}
      read={() => tagged<DataPool>(acting.platform.getDataPool.response({ dataPoolId }))}
      save={({ name, description }, headers) =>
        acting.platform.updateDataPool.response({ dataPoolId, json: { name: name.trim(), description }, headers })
      }
      onSaved={async () => {
        await queries.invalidateQueries({ queryKey: dataPoolQuery(acting, dataPoolId).queryKey });
        await queries.invalidateQueries({ queryKey: dataPoolsQuery(acting).queryKey });
        onClose();
      }}
      onClose={onClose}
    />
  );
}

function End({
  kind,
  name,
  onClose,
}: {
  readonly kind: 'deletion' | 'leaving';
  readonly name: string;
  readonly onClose: () => void;
}) {
  const { acting, dataPoolId } = useDataPoolAddress();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const end = useMutation({
    mutationFn: () =>
      kind === 'deletion'
        ? acting.platform.deleteDataPool({ dataPoolId })
        : acting.platform.leaveDataPool({ dataPoolId }),
    async onSuccess() {
      await navigate({ to: `${acting.base}/data-pools` });
      queries.removeQueries({ queryKey: [acting.base, 'data-pool', dataPoolId] });
      await queries.invalidateQueries({ queryKey: dataPoolsQuery(acting).queryKey });
    },
  });
  return kind === 'deletion' ? (
    <Confirm title={`Delete ${name}?`} action="Delete" name={name} request={end} onClose={onClose}>
      All its files go with it, and nothing brings them back.
    </Confirm>
  ) : (
    <Confirm title={`Leave ${name}?`} action="Leave" request={end} onClose={onClose}>
      You can no longer use its files. Whoever manages its members can add you again.
    </Confirm>
  );
}
