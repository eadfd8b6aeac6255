import type { ImplementationInvitation } from '@kethub/contract';
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useActing } from '../../data/context.tsx';
import {
  implementationInvitationsQuery,
  ownImplementationInvitationsQuery,
} from '../../data/implementation-queries.ts';
import { InvitationList } from '../../forms/invitations.tsx';
import { Time } from '../../look/parts.tsx';
import { roleInWords, type RoleTexts } from '../../look/roles.ts';
import { Problem } from '../../shell/problem.tsx';
import { useImplementationAddress } from './use-implementation.ts';

const ROLES: RoleTexts = {
  VIEWER: { word: 'viewer', rights: 'Reads and clones.' },
  MAINTAINER: { word: 'maintainer', rights: 'Pushes and makes services as well.' },
  OWNER: { word: 'owner', rights: 'Changes settings and members as well.' },
};

/** The open invitations to an implementation, for its owners. */
export function Invitations() {
  const { acting, implementationId } = useImplementationAddress();
  const { platform } = acting;
  const query = implementationInvitationsQuery(acting, implementationId);
  return (
    <InvitationList
      roles={ROLES}
      queryKey={query.queryKey}
      invitations={useQuery(query)}
      mayInvite
      invite={(json) => platform.inviteToImplementation({ implementationId, json })}
      withdraw={(invitationId) => platform.withdrawImplementationInvitation({ implementationId, invitationId })}
    />
  );
}

/** Invitations to the person, whatever the context is. */
export function OwnInvitations() {
  const invitations = useQuery(ownImplementationInvitationsQuery(useActing()));
  const rows = invitations.data ?? [];
  if (invitations.error) return <Problem error={invitations.error} onRetry={() => void invitations.refetch()} />;
  if (rows.length === 0) return null;
  return (
    <section className="panel stack" aria-labelledby="own-invitations">
      <h2 id="own-invitations">Invitations to you</h2>
      {rows.map((invitation) => (
        <OneInvitation key={invitation.id} invitation={invitation} />
      ))}
    </section>
  );
}

function OneInvitation({ invitation }: { readonly invitation: ImplementationInvitation }) {
  const acting = useActing();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { id: invitationId, implementationId, implementationName, role, expiresAt } = invitation;
  const settle = () => queries.invalidateQueries({ queryKey: ownImplementationInvitationsQuery(acting).queryKey });
  const accept = useMutation({
    mutationFn: () => acting.platform.acceptImplementationInvitation({ invitationId }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: ['/me', 'implementations'] });
      await navigate({ to: `/me/implementations/${implementationId}` });
      await settle();
    },
  });
  const decline = useMutation({
    mutationFn: () => acting.platform.declineImplementationInvitation({ invitationId }),
    onSuccess: settle,
  });
  const error = accept.error ?? decline.error;
  return (
    <div className="stack">
      <div className="row apart">
        <span>
          <strong>{implementationName}</strong>{' '}
          <span className="quiet">
            as {roleInWords(role)}, ends <Time at={expiresAt} />
          </span>
        </span>
        <span className="row">
          <Button size="xs" loading={accept.isPending} onClick={() => accept.mutate()}>
            Accept
          </Button>
          <Button size="xs" variant="default" loading={decline.isPending} onClick={() => decline.mutate()}>
            Decline
          </Button>
        </span>
      </div>
      {error && <Problem error={error} />}
    </div>
  );
}
