import type { Member } from '@kethub/contract';
import { Button, Select } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../data/context.tsx';
import { organizationMembersQuery } from '../../data/organization-queries.ts';
import { meQuery, organizationsQuery } from '../../data/queries.ts';
import { shortId, TableHead, Time } from '../../look/parts.tsx';
import { CHOICES, roleInWords, roleOf } from '../../look/roles.ts';
import { Confirm } from '../../shell/confirm.tsx';
import { Problem } from '../../shell/problem.tsx';
import { useOrganization } from './use-organization.ts';

/** The members in the order in which they joined, with their roles. */
export function Members() {
  const { acting, organizationId } = useOrganization();
  const members = useQuery(organizationMembersQuery(acting, organizationId));
  const { data: me } = useQuery(meQuery(acting.platform));
  const mayChange = useMay('member:change');
  const mayRemove = useMay('member:remove');
  const [removing, setRemoving] = useState<Member | null>(null);
  return (
    <section className="panel flush" aria-labelledby="members">
      <div className="panel-head">
        <h2 id="members">Members</h2>
      </div>
      {members.error && <Problem error={members.error} onRetry={() => void members.refetch()} />}
      {members.isPending && <p className="quiet panel-text">Loading…</p>}
      {members.data && (
        <table className="list">
          <TableHead columns={['Name', 'Role', 'Since']} spoken="Change" />
          <tbody>
            {members.data.map((member) => (
              <tr key={member.userId}>
                <td title={member.userId}>
                  <strong>{nameOf(member)}</strong> {member.userId === me?.id && <span className="quiet">you</span>}
                </td>
                <td>{mayChange ? <RoleOf member={member} /> : roleInWords(member.role)}</td>
                <td className="quiet">
                  <span className="narrow-label">since </span>
                  <Time at={member.joinedAt} />
                </td>
                <td>
                  {mayRemove && member.userId !== me?.id && (
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
      )}
      {removing && <Removal member={removing} onClose={() => setRemoving(null)} />}
    </section>
  );
}

/** Names are empty for people whom the platform does not know yet. */
function nameOf({ firstname, lastname, userId }: Member): string {
  return `${firstname} ${lastname}`.trim() || shortId(userId);
}

function RoleOf({ member }: { readonly member: Member }) {
  const { acting, organizationId } = useOrganization();
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (role: Member['role']) =>
      acting.platform.changeMember({ organizationId, userId: member.userId, json: { role } }),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: organizationMembersQuery(acting, organizationId).queryKey }),
        queries.invalidateQueries({ queryKey: organizationsQuery(acting.platform).queryKey }),
      ]),
  });
  return (
    <>
      <Select
        aria-label={`Role of ${nameOf(member)}`}
        size="xs"
        data={CHOICES}
        value={change.isPending ? change.variables : member.role}
        onChange={(role) => role !== null && change.mutate(roleOf(role))}
        allowDeselect={false}
        style={{ width: 140 }}
      />
      {change.error && <Problem error={change.error} />}
    </>
  );
}

function Removal({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const { acting, organizationId } = useOrganization();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => acting.platform.removeMember({ organizationId, userId: member.userId }),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: organizationMembersQuery(acting, organizationId).queryKey });
      onClose();
    },
  });
  return (
    <Confirm title={`Remove ${nameOf(member)}?`} action="Remove" request={remove} onClose={onClose}>
      They can no longer see or use what belongs to {acting.name}. What they have made for it stays.
    </Confirm>
  );
}
