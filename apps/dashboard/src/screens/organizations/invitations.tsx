import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../data/context.tsx';
import { invitationsQuery } from '../../data/organization-queries.ts';
import { InvitationList } from '../../forms/invitations.tsx';
import { ROLES } from '../../look/roles.ts';
import { useOrganization } from './use-organization.ts';

/** The open invitations of the organization, for its owners. */
export function Invitations() {
  const { acting, organizationId } = useOrganization();
  const query = invitationsQuery(acting, organizationId);
  return (
    <InvitationList
      roles={ROLES}
      queryKey={query.queryKey}
      invitations={useQuery(query)}
      mayInvite={useMay('invitation:create')}
      invite={(json) => acting.platform.invite({ organizationId, json })}
      withdraw={(invitationId) => acting.platform.withdrawInvitation({ organizationId, invitationId })}
    />
  );
}
