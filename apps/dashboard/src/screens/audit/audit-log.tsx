import type { AuditEntry } from '@kethub/contract';
import { Button, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useActing } from '../../data/context.tsx';
import { auditQuery } from '../../data/usage-queries.ts';
import { useNames } from '../../data/use-names.ts';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { More } from '../../look/more.tsx';
import { PageHead, shortId, TableHead, Time } from '../../look/parts.tsx';
import { useTitle } from '../../shell/keys.ts';
import { textOf } from '../../viewers/shape.ts';

/** Every change of rights, keys and publications, newest first. The filter stands in the address. */
export function AuditLog() {
  useTitle('Audit log');
  const acting = useActing();
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as { action?: unknown; resource?: unknown };
  const action = typeof search.action === 'string' ? search.action : '';
  const resource = typeof search.resource === 'string' ? search.resource : '';
  const [typedAction, setTypedAction] = useState(action);
  const [typedResource, setTypedResource] = useState(resource);
  const entries = useInfiniteQuery(
    auditQuery(acting, { ...(action !== '' && { action }), ...(resource !== '' && { resourceId: resource }) }),
  );
  const rows = entries.data?.pages.flatMap((page) => page.rows) ?? [];
  const nameOf = useNames(rows.filter(({ actorId }) => actorId !== 'unknown').map(({ actorId }) => personOf(actorId)));
  const show = (next: { readonly action: string; readonly resource: string }): void =>
    void navigate({
      to: `${acting.base}/audit`,
      search: {
        ...(next.action !== '' && { action: next.action }),
        ...(next.resource !== '' && { resource: next.resource }),
      },
      replace: true,
    });
  return (
    <>
      <PageHead
        title="Audit log"
        note={<span className="quiet">Changes of rights, keys and publications. Nobody can change it.</span>}
      />
      <div className="stack">
        <form
          className="row"
          style={{ alignItems: 'flex-start' }}
          onSubmit={(event) => {
            event.preventDefault();
            show({ action: typedAction.trim(), resource: typedResource.trim() });
          }}
        >
          <TextInput
            aria-label="Action"
            placeholder="Action, as access-key:rotate"
            maxLength={200}
            value={typedAction}
            error={complaintAt(entries.error, '/querystring/action')}
            onChange={(event) => setTypedAction(event.currentTarget.value)}
          />
          <TextInput
            aria-label="Resource"
            placeholder="Id of a resource"
            maxLength={200}
            className="mono"
            value={typedResource}
            error={complaintAt(entries.error, '/querystring/resourceId')}
            onChange={(event) => setTypedResource(event.currentTarget.value)}
          />
          <Button type="submit" variant="default">
            Filter
          </Button>
          {(action !== '' || resource !== '') && (
            <Button
              variant="subtle"
              onClick={() => {
                setTypedAction('');
                setTypedResource('');
                show({ action: '', resource: '' });
              }}
            >
              Show all
            </Button>
          )}
        </form>
        <FormProblem error={entries.error} fields={['/querystring/action', '/querystring/resourceId']} />
        {entries.isPending && <div className="panel quiet">Loading…</div>}
        {entries.isSuccess && rows.length === 0 && <div className="panel quiet">No entry fits this filter.</div>}
        {rows.length > 0 && (
          <div className="panel flush">
            <table className="list">
              <TableHead columns={['When', 'Who', 'What', 'Resource', 'Detail']} />
              <tbody>
                {rows.map((entry) => (
                  <Row
                    key={entry.id}
                    entry={entry}
                    name={entry.actorId === 'unknown' ? 'not known' : nameOf(personOf(entry.actorId))}
                    onAction={() => {
                      setTypedAction(entry.action);
                      show({ action: entry.action, resource });
                    }}
                    onResource={() => {
                      setTypedResource(entry.resourceId);
                      show({ action, resource: entry.resourceId });
                    }}
                  />
                ))}
              </tbody>
            </table>
          </div>
        )}
        <More of={entries} />
      </div>
    </>
  );
}

function personOf(id: string): { type: 'USER'; id: string } {
  return { type: 'USER', id };
}

function Row({
  entry: { at, actorId, action, resourceId, detail },
  name,
  onAction,
  onResource,
}: {
  readonly entry: AuditEntry;
  readonly name: string;
  readonly onAction: () => void;
  readonly onResource: () => void;
}) {
  const members = Object.entries(detail);
  return (
    <tr>
      <td className="quiet">
        <Time at={at} />
      </td>
      <td title={actorId}>
        <strong>{name}</strong>
      </td>
      <td>
        <button type="button" className="plain-button mono" title="Only this action" onClick={onAction}>
          {action}
        </button>
      </td>
      <td>
        <button type="button" className="plain-button mono" title={`Only ${resourceId}`} onClick={onResource}>
          {shortId(resourceId)}
        </button>
      </td>
      <td className="small">
        {members.slice(0, 12).map(([member, value]) => (
          <div key={member}>
            <span className="quiet">{member}:</span> {textOf(value).slice(0, 300)}
          </div>
        ))}
      </td>
    </tr>
  );
}
