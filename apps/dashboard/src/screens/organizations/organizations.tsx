import type { Invitation } from '@kethub/contract';
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isMissing } from '../../data/form-query.ts';
import { useActing } from '../../data/context.tsx';
import { ownInvitationsQuery } from '../../data/organization-queries.ts';
import { organizationListQuery, organizationsQuery } from '../../data/queries.ts';
import { OwnInvitation } from '../../forms/invitations.tsx';
import { Icon } from '../../look/icons.tsx';
import { PageHead, TableHead, Time } from '../../look/parts.tsx';
import { roleInWords } from '../../look/roles.ts';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { NameForm } from '../../forms/name-form.tsx';

/** The organizations of the person, and the invitations of others. */
export function Organizations() {
  useTitle('Organizations');
  const { platform } = useActing();
  const organizations = useQuery(organizationListQuery(platform));
  const [isCreating, setCreating] = useState(false);
  const rows = organizations.data ?? [];
  const create = (
    <Button leftSection={<Icon name="plus" />} onClick={() => setCreating(true)}>
      New organization
    </Button>
  );
  return (
    <>
      <PageHead title="Organizations" actions={rows.length > 0 && create} />
      <div className="stack">
        <Invitations />
        {organizations.error && <Problem error={organizations.error} onRetry={() => void organizations.refetch()} />}
        {organizations.isPending && <div className="panel quiet">Loading…</div>}
        {organizations.isSuccess && rows.length === 0 && (
          <div className="panel empty">
            <p style={{ margin: 0 }}>
              An organization owns services, applications and data pools together: a working group, a course, a company.
              Each member has a role in it. You switch to it at the top left.
            </p>
            {create}
          </div>
        )}
        {rows.length > 0 && (
          <div className="panel flush">
            <table className="list">
              <TableHead columns={['Name', 'Your role', 'Created']} />
              <tbody>
                {rows.map(({ id, name, role, createdAt }) => (
                  <tr key={id}>
                    <td>
                      <Link to={`/org/${id}/organization`} className="name">
                        {name}
                      </Link>
                    </td>
                    <td className="quiet">{roleInWords(role)}</td>
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
  const { platform } = useActing();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: (name: string) => platform.createOrganization({ json: { name } }),
    async onSuccess({ id }) {
      await queries.invalidateQueries({ queryKey: organizationsQuery(platform).queryKey });
      await navigate({ to: `/org/${id}/organization` });
    },
  });
  return (
    <NameForm
      title="New organization"
      action="Create"
      hint="Others see it beside what the organization offers and shares."
      request={create}
      onClose={onClose}
    />
  );
}

/** Invitations to the person. */
function Invitations() {
  const { platform } = useActing();
  const invitations = useQuery(ownInvitationsQuery({ platform }));
  const rows = invitations.data ?? [];
  if (isMissing(invitations)) return <Problem error={invitations.error} onRetry={() => void invitations.refetch()} />;
  if (rows.length === 0) return null;
  return (
    <section className="panel stack" aria-labelledby="invitations">
      <h2 id="invitations">Invitations to you</h2>
      {rows.map((invitation) => (
        <OneInvitation key={invitation.id} invitation={invitation} />
      ))}
    </section>
  );
}

function OneInvitation({ invitation }: { readonly invitation: Invitation }) {
  const { platform } = useActing();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { id: invitationId, organizationName, organizationId } = invitation;
  const settle = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ownInvitationsQuery({ platform }).queryKey }),
      queries.invalidateQueries({ queryKey: organizationsQuery(platform).queryKey }),
    ]);
  return (
    <OwnInvitation
      name={organizationName}
      invitation={invitation}
      accepts="Join"
      accept={() => platform.acceptInvitation({ invitationId })}
      decline={() => platform.declineInvitation({ invitationId })}
      onAccepted={async () => {
        await settle();
        await navigate({ to: `/org/${organizationId}` });
      }}
      onDeclined={settle}
    />
  );
}
