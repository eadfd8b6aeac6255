import type { Share } from '@kethub/contract';
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../data/context.tsx';
import { sharesQuery } from '../../data/sharing-queries.ts';
import { useNames } from '../../data/use-names.ts';
import { State, TableHead, Time } from '../../look/parts.tsx';
import { Confirm } from '../../shell/confirm.tsx';
import { Problem } from '../../shell/problem.tsx';
import { ShareForm } from './share-form.tsx';
import { useServiceAddress } from './use-service.ts';

/** Shares of a service: recipients, end, and the versions that they open. */
export function Sharing() {
  const { acting, serviceId } = useServiceAddress();
  const shares = useQuery(sharesQuery(acting, serviceId));
  const rows = shares.data ?? [];
  const nameOf = useNames(rows.map(({ recipient }) => recipient));
  const mayCreate = useMay('share:create');
  const [asked, setAsked] = useState<'new' | { readonly change: Share } | { readonly end: Share } | null>(null);
  const close = (): void => setAsked(null);
  const create = mayCreate && <Button onClick={() => setAsked('new')}>Share the service</Button>;
  return (
    <div className="stack">
      {shares.error && <Problem error={shares.error} onRetry={() => void shares.refetch()} />}
      {shares.isPending && <div className="panel quiet">Loading…</div>}
      {shares.isSuccess && rows.length === 0 && (
        <div className="panel empty">
          <p style={{ margin: 0 }}>
            Not shared yet. A person or an organization with whom it is shared can run it, for example for the weeks of
            a course. They see neither source nor configuration.
          </p>
          {create}
        </div>
      )}
      {rows.length > 0 && (
        <>
          {mayCreate && <div>{create}</div>}
          <div className="panel flush">
            <table className="list">
              <TableHead columns={['With', 'State', 'From', 'Until', 'Opens']} spoken="Change" />
              <tbody>
                {rows.map((share) => (
                  <Row
                    key={share.id}
                    share={share}
                    name={nameOf(share.recipient)}
                    onChange={() => setAsked({ change: share })}
                    onEnd={() => setAsked({ end: share })}
                  />
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
      {asked === 'new' && <ShareForm share={null} onClose={close} />}
      {asked !== null && asked !== 'new' && 'change' in asked && <ShareForm share={asked.change} onClose={close} />}
      {asked !== null && asked !== 'new' && 'end' in asked && (
        <Ending share={asked.end} name={nameOf(asked.end.recipient)} onClose={close} />
      )}
    </div>
  );
}

function Row({
  share: { recipient, status, startDate, endDate, opens },
  name,
  onChange,
  onEnd,
}: {
  readonly share: Share;
  readonly name: string;
  readonly onChange: () => void;
  readonly onEnd: () => void;
}) {
  const mayChange = useMay('share:change');
  const mayEnd = useMay('share:delete');
  return (
    <tr>
      <td title={recipient.id}>
        <strong>{name}</strong> {recipient.type === 'ORGANIZATION' && <span className="quiet small">organization</span>}
      </td>
      <td>
        <State of={status} />
      </td>
      <td className="quiet">
        <span className="narrow-label">from </span>
        {startDate === null ? 'now' : <Time at={startDate} />}
      </td>
      <td className="quiet">
        <span className="narrow-label">until </span>
        {endDate === null ? 'no end' : <Time at={endDate} />}
      </td>
      <td className="quiet">
        <span className="narrow-label">opens </span>
        {opensInWords(status, opens)}
      </td>
      <td>
        <span className="row">
          {mayChange && (
            <Button size="compact-xs" variant="default" aria-label={`Change the dates of ${name}`} onClick={onChange}>
              Dates
            </Button>
          )}
          {mayEnd && (
            <Button size="compact-xs" variant="default" aria-label={`End the share with ${name}`} onClick={onEnd}>
              End
            </Button>
          )}
        </span>
      </td>
    </tr>
  );
}

function opensInWords(status: Share['status'], opens: Share['opens']): string {
  if (status === 'NEVER_ACTIVE') return 'nothing: it ends before it starts';
  if (opens.length === 0) return 'nothing: no version can be run';
  if (!opens.includes('API')) return 'runs';
  return opens.includes('JOBS') ? 'runs, and subscriptions of applications' : 'subscriptions of applications';
}

function Ending({
  share,
  name,
  onClose,
}: {
  readonly share: Share;
  readonly name: string;
  readonly onClose: () => void;
}) {
  const { acting, serviceId } = useServiceAddress();
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: () => acting.platform.deleteShare({ serviceId, shareId: share.id }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: sharesQuery(acting, serviceId).queryKey });
      onClose();
    },
  });
  return (
    <Confirm title={`End the share with ${name}?`} action="End the share" request={end} onClose={onClose}>
      They can no longer start it. Subscriptions that rest on this share stop working.
    </Confirm>
  );
}
