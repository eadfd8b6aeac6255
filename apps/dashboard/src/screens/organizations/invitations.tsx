import { Button, Modal, Radio, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../data/context.tsx';
import { invitationsQuery } from '../../data/organization-queries.ts';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { Time } from '../../look/parts.tsx';
import { roleInWords, roleOf, ROLES } from '../../look/roles.ts';
import { Problem } from '../../shell/problem.tsx';
import { useOrganization } from './use-organization.ts';

/** The open invitations of the organization, for its owners. */
export function Invitations() {
  const { acting, organizationId } = useOrganization();
  const queries = useQueryClient();
  const invitations = useQuery(invitationsQuery(acting, organizationId));
  const mayInvite = useMay('invitation:create');
  const [isInviting, setInviting] = useState(false);
  const withdraw = useMutation({
    mutationFn: (invitationId: string) => acting.platform.withdrawInvitation({ organizationId, invitationId }),
    onSettled: () => queries.invalidateQueries({ queryKey: invitationsQuery(acting, organizationId).queryKey }),
  });
  const rows = invitations.data ?? [];
  return (
    <section className="panel flush" aria-labelledby="invitations">
      <div className="row apart panel-head">
        <h2 id="invitations">Open invitations</h2>
        {mayInvite && (
          <Button size="xs" onClick={() => setInviting(true)}>
            Invite somebody
          </Button>
        )}
      </div>
      {invitations.error && <Problem error={invitations.error} onRetry={() => void invitations.refetch()} />}
      {withdraw.error && <Problem error={withdraw.error} />}
      {invitations.isPending && <p className="quiet panel-text">Loading…</p>}
      {invitations.isSuccess && rows.length === 0 && (
        <p className="quiet panel-text">None. Whoever is invited gets a mail, and finds the invitation here as well.</p>
      )}
      {rows.length > 0 && (
        <table className="list">
          <thead>
            <tr>
              <th scope="col">E-mail address</th>
              <th scope="col">Role</th>
              <th scope="col">Ends</th>
              <th scope="col">
                <span className="sr-only">Change</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, email, role, expiresAt }) => (
              <tr key={id}>
                <td>
                  <strong>{email}</strong>
                </td>
                <td className="quiet">{roleInWords(role)}</td>
                <td className="quiet">
                  <span className="narrow-label">ends </span>
                  <Time at={expiresAt} />
                </td>
                <td>
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={`Withdraw the invitation of ${email}`}
                    loading={withdraw.isPending && withdraw.variables === id}
                    onClick={() => withdraw.mutate(id)}
                  >
                    Withdraw
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {isInviting && <Invite onClose={() => setInviting(false)} />}
    </section>
  );
}

function Invite({ onClose }: { readonly onClose: () => void }) {
  const { acting, organizationId } = useOrganization();
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<keyof typeof ROLES>('MAINTAINER');
  const invite = useMutation({
    mutationFn: () => acting.platform.invite({ organizationId, json: { email: email.trim(), role } }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: invitationsQuery(acting, organizationId).queryKey });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title="Invite somebody" lockScroll={false}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          invite.mutate();
        }}
      >
        <TextInput
          type="email"
          label="E-mail address"
          description="Whoever has this address here, or registers with it, may join. Inviting again renews it."
          required
          data-autofocus
          value={email}
          error={complaintAt(invite.error, '/email')}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Radio.Group label="Role" value={role} onChange={(value) => setRole(roleOf(value))}>
          <div className="stack" style={{ marginTop: 8 }}>
            {Object.entries(ROLES).map(([value, { word, rights }]) => (
              <Radio key={value} value={value} label={word} description={rights} />
            ))}
          </div>
        </Radio.Group>
        <FormProblem error={invite.error} fields={['/email', '/role']} />
        <Button type="submit" loading={invite.isPending} disabled={email.trim() === ''}>
          Invite
        </Button>
      </form>
    </Modal>
  );
}
