import type { MemberRole } from '@kethub/contract';
import { Button, Modal, Radio, TextInput } from '@mantine/core';
import { useMutation, useQueryClient, type QueryKey, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { TableHead, Time } from '../look/parts.tsx';
import { roleInWords, roleOf, type RoleTexts } from '../look/roles.ts';
import { Problem } from '../shell/problem.tsx';
import { Form } from './form.tsx';
import { complaintAt, FormProblem } from './problem-at.tsx';

interface Row {
  readonly id: string;
  readonly email: string;
  readonly role: string;
  readonly expiresAt: string;
}

interface Inviting {
  readonly roles: RoleTexts;
  readonly queryKey: QueryKey;
  readonly invite: (json: { email: string; role: MemberRole }) => Promise<unknown>;
}

/** The open invitations to something that people share, and the forms to send and withdraw one. */
export function InvitationList({
  invitations,
  mayInvite,
  withdraw: take,
  ...inviting
}: Inviting & {
  readonly invitations: Pick<UseQueryResult<Row[]>, 'data' | 'error' | 'isPending' | 'isSuccess' | 'refetch'>;
  readonly mayInvite: boolean;
  readonly withdraw: (id: string) => Promise<unknown>;
}) {
  const queries = useQueryClient();
  const [isInviting, setInviting] = useState(false);
  const withdraw = useMutation({
    mutationFn: take,
    onSettled: () => queries.invalidateQueries({ queryKey: inviting.queryKey }),
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
          <TableHead columns={['E-mail address', 'Role', 'Ends']} spoken="Change" />
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
      {isInviting && <Invite {...inviting} onClose={() => setInviting(false)} />}
    </section>
  );
}

function Invite({ roles, queryKey, invite: send, onClose }: Inviting & { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<MemberRole>('MAINTAINER');
  const invite = useMutation({
    mutationFn: () => send({ email: email.trim(), role }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey });
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title="Invite somebody" lockScroll={false}>
      <Form className="stack" request={invite} onSubmit={() => invite.mutate()}>
        <TextInput
          type="email"
          label="E-mail address"
          description="The person with this address may join, also one who registers with it later. Inviting again renews the invitation."
          required
          data-autofocus
          maxLength={254}
          value={email}
          error={complaintAt(invite.error, '/email')}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Radio.Group label="Role" value={role} onChange={(value) => setRole(roleOf(value))}>
          <div className="stack" style={{ marginTop: 8 }}>
            {Object.entries(roles).map(([value, { word, rights }]) => (
              <Radio key={value} value={value} label={word} description={rights} />
            ))}
          </div>
        </Radio.Group>
        <FormProblem error={invite.error} fields={['/email', '/role']} />
        <Button type="submit" loading={invite.isPending} disabled={email.trim() === ''}>
          Invite
        </Button>
      </Form>
    </Modal>
  );
}

/** An invitation to the person, with the buttons that answer it. */
export function OwnInvitation({
  name,
  invitation: { role, expiresAt },
  accepts,
  accept: join,
  decline: refuse,
  onAccepted,
  onDeclined,
}: {
  /** Name of the thing that the person is invited to. */
  readonly name: string;
  readonly invitation: { readonly role: MemberRole; readonly expiresAt: string };
  /** Text of the button that accepts. */
  readonly accepts: string;
  readonly accept: () => Promise<unknown>;
  readonly decline: () => Promise<unknown>;
  readonly onAccepted: () => Promise<unknown>;
  readonly onDeclined: () => Promise<unknown>;
}) {
  const accept = useMutation({ mutationFn: join, onSuccess: onAccepted });
  const decline = useMutation({ mutationFn: refuse, onSuccess: onDeclined });
  const error = accept.error ?? decline.error;
  return (
    <div className="stack">
      <div className="row apart">
        <span>
          <strong>{name}</strong>{' '}
          <span className="quiet">
            as {roleInWords(role)}, ends <Time at={expiresAt} />
          </span>
        </span>
        <span className="row">
          <Button size="xs" loading={accept.isPending} onClick={() => accept.mutate()}>
            {accepts}
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
