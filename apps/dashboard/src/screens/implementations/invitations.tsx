import type { ImplementationInvitation } from '@kethub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { isMissing } from '../../data/form-query.ts';
import { useActing } from '../../data/context.tsx';
import {
  implementationInvitationsQuery,
  ownImplementationInvitationsQuery,
} from '../../data/implementation-queries.ts';
import { InvitationList, OwnInvitation } from '../../forms/invitations.tsx';
import type { RoleTexts } from '../../look/roles.ts';
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
  if (isMissing(invitations)) return <Problem error={invitations.error} onRetry={() => void invitations.refetch()} />;
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
  const { id: invitationId, implementationId, implementationName } = invitation;
  const settle = () => queries.invalidateQueries({ queryKey: ownImplementationInvitationsQuery(acting).queryKey });
  return (
    <OwnInvitation
      name={implementationName}
      invitation={invitation}
      accepts="Accept"
      accept={() => acting.platform.acceptImplementationInvitation({ invitationId })}
      decline={() => acting.platform.declineImplementationInvitation({ invitationId })}
      onAccepted={async () => {
        await queries.invalidateQueries({ queryKey: ['/me', 'implementations'] });
        await navigate({ to: `/me/implementations/${implementationId}` });
        await settle();
      }}
      onDeclined={settle}
    />
  );
}
