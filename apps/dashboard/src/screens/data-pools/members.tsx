import type { DataPoolMember, MemberRole } from '@kethub/contract';
import { Button, Modal, Select } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isEnough } from '../../data/context.tsx';
import { poolMembersQuery } from '../../data/data-pool-queries.ts';
import { useNames } from '../../data/use-names.ts';
import { complaintAt, FormProblem } from '../../forms/problem-at.tsx';
import { RecipientField, type Recipient } from '../../forms/recipient-field.tsx';
import { Time } from '../../look/parts.tsx';
import { Confirm } from '../../shell/confirm.tsx';
import { Problem } from '../../shell/problem.tsx';
import { ROLES, roleInWords } from './roles.ts';
import { useDataPoolAddress } from './use-data-pool.ts';

/** Members of a data pool: people and organizations that may use it beside its owner. */
export function Members({ role, owner }: { readonly role: MemberRole; readonly owner: Recipient }) {
  const { acting, dataPoolId } = useDataPoolAddress();
  const members = useQuery(poolMembersQuery(acting, dataPoolId));
  const rows = members.data ?? [];
  const nameOf = useNames([owner, ...rows]);
  const mayChange = isEnough(role, 'data-pool-member:change');
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<DataPoolMember | null>(null);
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
        <thead>
          <tr>
            <th scope="col">Member</th>
            <th scope="col">Role</th>
            <th scope="col">Since</th>
            <th scope="col">
              <span className="sr-only">Change</span>
            </th>
          </tr>
        </thead>
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
              <td>{mayChange ? <RoleOf member={member} name={nameOf(member)} /> : roleInWords(member.role)}</td>
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
      {isAdding && <Add onClose={() => setAdding(false)} />}
      {removing && <Removal member={removing} name={nameOf(removing)} onClose={() => setRemoving(null)} />}
    </section>
  );
}

const CHOICES = (Object.keys(ROLES) as MemberRole[]).map((role) => ({ value: role, label: ROLES[role] }));

function roleOf(text: string | null): MemberRole {
  return text === 'OWNER' || text === 'MAINTAINER' ? text : 'VIEWER';
}

function usePut() {
  const { acting, dataPoolId } = useDataPoolAddress();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ member, role }: { member: Recipient; role: MemberRole }) =>
      acting.platform.putDataPoolMember({ dataPoolId, memberType: member.type, memberId: member.id, json: { role } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: poolMembersQuery(acting, dataPoolId).queryKey }),
  });
}

function RoleOf({ member, name }: { readonly member: DataPoolMember; readonly name: string }) {
  const put = usePut();
  return (
    <>
      <Select
        aria-label={`Role of ${name}`}
        size="xs"
        data={CHOICES}
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

function Add({ onClose }: { readonly onClose: () => void }) {
  const [member, setMember] = useState<Recipient>({ type: 'USER', id: '' });
  const [role, setRole] = useState<MemberRole>('VIEWER');
  const put = usePut();
  return (
    <Modal opened onClose={onClose} title="Add a member" lockScroll={false}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          put.mutate({ member, role }, { onSuccess: onClose });
        }}
      >
        <RecipientField value={member} onChange={setMember} error={complaintAt(put.error, '/memberId')} />
        <Select
          label="Role"
          description="Members who manage members can also read and change files."
          data={CHOICES}
          value={role}
          allowDeselect={false}
          onChange={(chosen) => setRole(roleOf(chosen))}
        />
        <FormProblem error={put.error} fields={['/memberId']} />
        <Button type="submit" loading={put.isPending} disabled={member.id === ''}>
          Add
        </Button>
      </form>
    </Modal>
  );
}

function Removal({
  member,
  name,
  onClose,
}: {
  readonly member: DataPoolMember;
  readonly name: string;
  readonly onClose: () => void;
}) {
  const { acting, dataPoolId } = useDataPoolAddress();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      acting.platform.removeDataPoolMember({ dataPoolId, memberType: member.type, memberId: member.id }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: poolMembersQuery(acting, dataPoolId).queryKey });
      onClose();
    },
  });
  return (
    <Confirm title={`Remove ${name}?`} action="Remove" request={remove} onClose={onClose}>
      They can no longer use the files. What they have started goes on.
    </Confirm>
  );
}
