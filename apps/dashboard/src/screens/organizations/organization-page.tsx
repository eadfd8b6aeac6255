import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../data/context.tsx';
import { organizationsQuery } from '../../data/queries.ts';
import { CopyButton, PageHead } from '../../look/parts.tsx';
import { roleInWords, ROLES } from '../../look/roles.ts';
import { Confirm } from '../../shell/confirm.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Invitations } from './invitations.tsx';
import { Members } from './members.tsx';
import { Rename } from './rename.tsx';
import { useOrganization } from './use-organization.ts';

/** The organization itself: its members, its invitations and its name. */
export function OrganizationPage() {
  const { acting, organizationId } = useOrganization();
  const mayChange = useMay('organization:change');
  const mayDelete = useMay('organization:delete');
  const mayInvite = useMay('invitation:list');
  const [asked, setAsked] = useState<'name' | 'leaving' | 'deletion' | null>(null);
  useTitle(acting.name);
  return (
    <>
      <PageHead
        title={acting.name}
        note={
          <div className="row quiet small">
            <span>
              You are its {roleInWords(acting.role)}. {ROLES[acting.role].rights}
            </span>
            <span className="mono">{organizationId}</span>
            <CopyButton value={organizationId} label="Copy the id" />
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
        <Members />
        {mayInvite && <Invitations />}
        <div className="row">
          <Button variant="default" onClick={() => setAsked('leaving')}>
            Leave the organization
          </Button>
          {mayDelete && (
            <Button variant="default" onClick={() => setAsked('deletion')} style={{ color: 'var(--failed)' }}>
              Delete the organization
            </Button>
          )}
        </div>
      </div>
      {asked === 'name' && <Rename onClose={() => setAsked(null)} />}
      {asked === 'leaving' && <Leaving onClose={() => setAsked(null)} />}
      {asked === 'deletion' && <Deletion onClose={() => setAsked(null)} />}
    </>
  );
}

/** Leaves or deletes the organization. The person acts for themselves from then on. */
function useWayOut(act: () => Promise<void>) {
  const { acting } = useOrganization();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: act,
    async onSuccess() {
      await navigate({ to: '/me/organizations' });
      queries.removeQueries({ queryKey: [acting.base] });
      await queries.invalidateQueries({ queryKey: organizationsQuery(acting.platform).queryKey });
    },
  });
}

function Leaving({ onClose }: { readonly onClose: () => void }) {
  const { acting, organizationId } = useOrganization();
  const leave = useWayOut(() => acting.platform.leaveOrganization({ organizationId }));
  return (
    <Confirm title={`Leave ${acting.name}?`} action="Leave" request={leave} onClose={onClose}>
      You no longer see what belongs to it. Only an owner can invite you again.
    </Confirm>
  );
}

function Deletion({ onClose }: { readonly onClose: () => void }) {
  const { acting, organizationId } = useOrganization();
  const remove = useWayOut(() => acting.platform.deleteOrganization({ organizationId }));
  return (
    <Confirm title={`Delete ${acting.name}?`} action="Delete" name={acting.name} request={remove} onClose={onClose}>
      Services, applications and data pools have to be deleted or given away before. Nothing brings the organization
      back.
    </Confirm>
  );
}
