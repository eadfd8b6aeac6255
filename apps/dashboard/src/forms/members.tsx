import type { MemberRole } from '@kethub/contract';
import { Button, Modal, Select } from '@mantine/core';
import { useMutation, useQueryClient, type QueryKey, type UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useNames } from '../data/use-names.ts';
import { TableHead, Time } from '../look/parts.tsx';
import { CHOICES, roleOf } from '../look/roles.ts';
import { Confirm } from '../shell/confirm.tsx';
import { Problem } from '../shell/problem.tsx';
import { Form } from './form.tsx';
import { complaintAt, FormProblem } from './problem-at.tsx';
import { RecipientField, type Recipient } from './recipient-field.tsx';

function choices({ inWords }: Changing) {
  return CHOICES.map(({ value }) => ({ value, label: inWords(value) }));
}

interface Member extends Recipient {
  readonly role: MemberRole;
  readonly addedAt: string;
}

interface Changing {
  readonly queryKey: QueryKey;
  readonly put: (member: Recipient, role: MemberRole) => Promise<unknown>;
  readonly remove: (member: Recipient) => Promise<unknown>;
  /** The name of a role. */
  readonly inWords: (role: MemberRole) => string;
  /** Explanation of the roles where one is chosen. */
  readonly roleHint: string;
  /** Consequences of a removal, for the question before it. */
  readonly removal: string;
}

/** People and organizations that may use something beside its owner, and the forms to add, change and remove one. */
export function MemberList({
  members,
  owner,
  mayChange,
  ...changing
}: Changing & {
  readonly members: Pick<UseQueryResult<Member[]>, 'data' | 'error' | 'refetch'>;
  readonly owner: Recipient;
  readonly mayChange: boolean;
}) {
  const rows = members.data ?? [];
  const nameOf = useNames([owner, ...rows]);
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<Member | null>(null);
  return (
    <section className="panel flush" aria-labelledby="members">
      <div className="row apart panel-head">
        <h2 id="members">Who may use it</h2>
        {mayChange && (
          <Button size="xs" variant="default" onClick={() => setAdding(true)}>
            Add a member
          </Button>
        )}
      </div>
      {members.error && <Problem error={members.error} onRetry={() => void members.refetch()} />}
      <table className="list">
        <TableHead columns={['Member', 'Role', 'Since']} spoken="Change" />
        <tbody>
          <tr>
            <td>
              <strong>{nameOf(owner)}</strong>
            </td>
            <td className="quiet">owner</td>
            <td />
            <td />
          </tr>
          {rows.map((member) => (
            <tr key={`${member.type} ${member.id}`}>
              <td title={member.id}>
                <strong>{nameOf(member)}</strong>{' '}
                {member.type === 'ORGANIZATION' && <span className="quiet small">organization</span>}
              </td>
              <td>
                {mayChange ? (
                  <RoleOf member={member} name={nameOf(member)} {...changing} />
                ) : (
                  changing.inWords(member.role)
                )}
              </td>
              <td className="quiet">
                <Time at={member.addedAt} />
              </td>
              <td>
                {mayChange && (
                  <Button
                    size="compact-xs"
                    variant="default"
                    aria-label={`Remove ${nameOf(member)}`}
                    onClick={() => setRemoving(member)}
                  >
                    Remove
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {isAdding && <Add {...changing} onClose={() => setAdding(false)} />}
      {removing && (
        <Removal {...changing} member={removing} name={nameOf(removing)} onClose={() => setRemoving(null)} />
      )}
    </section>
  );
}

function usePut({ put, queryKey }: Changing) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ member, role }: { member: Recipient; role: MemberRole }) => put(member, role),
    onSuccess: () => queries.invalidateQueries({ queryKey }),
  });
}

function RoleOf({ member, name, ...changing }: Changing & { readonly member: Member; readonly name: string }) {
  const put = usePut(changing);
  return (
    <>
      <Select
        aria-label={`Role of ${name}`}
        size="xs"
        data={choices(changing)}
        value={member.role}
        allowDeselect={false}
        disabled={put.isPending}
        onChange={(role) => put.mutate({ member, role: roleOf(role) })}
        style={{ maxWidth: 180 }}
      />
      {put.error && <Problem error={put.error} />}
    </>
  );
}

function Add({ onClose, ...changing }: Changing & { readonly onClose: () => void }) {
  const [member, setMember] = useState<Recipient>({ type: 'USER', id: '' });
  const [role, setRole] = useState<MemberRole>('VIEWER');
  const put = usePut(changing);
  return (
    <Modal opened onClose={onClose} title="Add a member" lockScroll={false}>
      <Form className="stack" request={put} onSubmit={() => put.mutate({ member, role }, { onSuccess: onClose })}>
        <RecipientField value={member} onChange={setMember} error={complaintAt(put.error, '/memberId')} />
        <Select
          label="Role"
          description={changing.roleHint}
          data={choices(changing)}
          value={role}
          allowDeselect={false}
          onChange={(chosen) => setRole(roleOf(chosen))}
        />
        <FormProblem error={put.error} fields={['/memberId']} />
        <Button type="submit" loading={put.isPending} disabled={member.id === ''}>
          Add
        </Button>
      </Form>
    </Modal>
  );
}

function Removal({
  member,
  name,
  onClose,
  queryKey,
  remove: take,
  removal,
}: Changing & {
  readonly member: Member;
  readonly name: string;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => take(member),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey });
      onClose();
    },
  });
  return (
    <Confirm title={`Remove ${name}?`} action="Remove" request={remove} onClose={onClose}>
      {removal}
    </Confirm>
  );
}
