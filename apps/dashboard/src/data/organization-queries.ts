import type { Organization } from '@kethub/contract';
import { queryOptions } from '@tanstack/react-query';
import type { Here } from './queries.ts';
import { tagged } from './tagged.ts';

/** The organization with its entity tag, which a new name sends along. */
export const organizationQuery = ({ base, platform }: Here, organizationId: string) =>
  queryOptions({
    queryKey: [base, 'organization'],
    queryFn: ({ signal }) => tagged<Organization>(platform.getOrganization.response({ organizationId, signal })),
    staleTime: 5_000,
  });

export const organizationMembersQuery = ({ base, platform }: Here, organizationId: string) =>
  queryOptions({
    queryKey: [base, 'organization', 'members'],
    queryFn: ({ signal }) => platform.listMembers({ organizationId, signal }),
  });

export const invitationsQuery = ({ base, platform }: Here, organizationId: string) =>
  queryOptions({
    queryKey: [base, 'organization', 'invitations'],
    queryFn: ({ signal }) => platform.listInvitations({ organizationId, signal }),
  });

/** Invitations to the person who is signed in. */
export const ownInvitationsQuery = ({ platform }: Pick<Here, 'platform'>) =>
  queryOptions({
    queryKey: ['invitations'],
    queryFn: ({ signal }) => platform.listOwnInvitations({ signal }),
    staleTime: 60_000,
  });
