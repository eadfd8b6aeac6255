import type { Application } from '@kethub/contract';
import { Button } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isMissing } from '../../data/form-query.ts';
import { applicationQuery, subscriptionsQuery } from '../../data/application-queries.ts';
import { useMay } from '../../data/context.tsx';
import { tagged } from '../../data/tagged.ts';
import { ChangeTexts } from '../../forms/texts-form.tsx';
import { Transfer } from '../../forms/transfer.tsx';
import { CopyButton, PageHead, Time } from '../../look/parts.tsx';
import { Confirm } from '../../shell/confirm.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { save } from '../../viewers/save.ts';
import { AccessKeys } from './access-keys.tsx';
import { CallCode } from './call-code.tsx';
import { Subscriptions } from './subscriptions.tsx';
import { useApplicationAddress } from './use-application.ts';

/** One application: the services that it may call, its key pairs, and how it calls. */
export function ApplicationPage() {
  const { acting, applicationId } = useApplicationAddress();
  const application = useQuery(applicationQuery(acting, applicationId));
  const subscriptions = useInfiniteQuery(subscriptionsQuery(acting, applicationId));
  const mayChange = useMay('application:change');
  const mayDelete = useMay('application:delete');
  const templates = useMutation({
    mutationFn: () => acting.platform.listElementTemplates({ applicationId }),
    onSuccess: (all) =>
      save(new Blob([JSON.stringify(all, null, 2)], { type: 'application/json' }), 'kethub-element-templates.json'),
  });
  const [asked, setAsked] = useState<'name' | 'deletion' | 'transfer' | null>(null);
  useTitle(application.data?.name ?? 'Application');
  if (isMissing(application)) return <Problem error={application.error} onRetry={() => void application.refetch()} />;
  if (!application.data) return <div className="quiet">Loading…</div>;
  const { name, id, createdAt, tokenEndpoint, accessKeys } = application.data;
  return (
    <>
      <PageHead
        trail={<Link to={`${acting.base}/applications`}>Applications</Link>}
        title={name}
        note={
          <div className="row quiet small">
            <span>
              created <Time at={createdAt} />
            </span>
            <span className="mono">{id}</span>
            <CopyButton value={id} label="Copy the id" />
          </div>
        }
        actions={
          mayChange && (
            <Button variant="default" onClick={() => setAsked('name')}>
              Rename
            </Button>
          )
        }
      />
      <div className="stack">
        <Subscriptions subscriptions={subscriptions} />
        <AccessKeys keys={accessKeys} />
        <CallCode
          tokenEndpoint={tokenEndpoint}
          accessKeyId={accessKeys[0]?.accessKeyId ?? ''}
          subscriptions={subscriptions.data?.pages.flat() ?? []}
        />
        <div className="row">
          <Button
            variant="default"
            loading={templates.isPending}
            title="Save the file below resources/element-templates of the modeler. Each service is then a task to choose."
            onClick={() => templates.mutate()}
          >
            Templates for Camunda's modeler
          </Button>
          {templates.error && <Problem error={templates.error} />}
        </div>
        {mayDelete && (
          <div className="row">
            <Button variant="default" onClick={() => setAsked('transfer')}>
              Give the application away
            </Button>
            <Button variant="default" onClick={() => setAsked('deletion')} style={{ color: 'var(--failed)' }}>
              Delete the application
            </Button>
          </div>
        )}
      </div>
      {asked === 'name' && <Rename onClose={() => setAsked(null)} />}
      {asked === 'transfer' && (
        <Transfer
          what={name}
          path={`/applications/${applicationId}`}
          give={(to) => acting.platform.transferApplication({ applicationId, json: to })}
          onClose={() => setAsked(null)}
        />
      )}
      {asked === 'deletion' && <Deletion name={name} onClose={() => setAsked(null)} />}
    </>
  );
}

function Rename({ onClose }: { readonly onClose: () => void }) {
  const { acting, applicationId } = useApplicationAddress();
  const queries = useQueryClient();
  return (
    <ChangeTexts
      title="Rename the application"
      fields={[{ key: 'name', label: 'Name', maxLength: 100, isNeeded: true }]}
      read={() => tagged<Application>(acting.platform.getApplication.response({ applicationId }))}
      save={({ name }, headers) =>
        acting.platform.renameApplication.response({ applicationId, json: { name: name.trim() }, headers })
      }
      onSaved={async () => {
        await queries.invalidateQueries({ queryKey: applicationQuery(acting, applicationId).queryKey });
        await queries.invalidateQueries({ queryKey: [acting.base, 'applications'] });
        onClose();
      }}
      onClose={onClose}
    />
  );
}

function Deletion({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { acting, applicationId } = useApplicationAddress();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => acting.platform.deleteApplication({ applicationId }),
    async onSuccess() {
      await navigate({ to: `${acting.base}/applications` });
      queries.removeQueries({ queryKey: [acting.base, 'application', applicationId] });
      await queries.invalidateQueries({ queryKey: [acting.base, 'applications'] });
    },
  });
  return (
    <Confirm title={`Delete ${name}?`} action="Delete" name={name} request={remove} onClose={onClose}>
      Its keys stop working at once, and its subscriptions end. Programs that use them can call nothing any more.
    </Confirm>
  );
}
