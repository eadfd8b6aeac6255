import type { MemberRole } from '@kethub/contract';
import { useQuery } from '@tanstack/react-query';
import { isEnough } from '../../data/context.tsx';
import { poolMembersQuery } from '../../data/data-pool-queries.ts';
import { MemberList } from '../../forms/members.tsx';
import type { Recipient } from '../../forms/recipient-field.tsx';
import { rightsInWords } from './roles.ts';
import { useDataPoolAddress } from './use-data-pool.ts';

/** Members of a data pool: people and organizations that may use it beside its owner. */
export function Members({ role, owner }: { readonly role: MemberRole; readonly owner: Recipient }) {
  const { acting, dataPoolId } = useDataPoolAddress();
  const query = poolMembersQuery(acting, dataPoolId);
  const pathOf = ({ type, id }: Recipient) => ({ dataPoolId, memberType: type, memberId: id });
  return (
    <MemberList
      members={useQuery(query)}
      queryKey={query.queryKey}
      owner={owner}
      mayChange={isEnough(role, 'data-pool-member:change')}
      put={(member, role) => acting.platform.putDataPoolMember({ ...pathOf(member), json: { role } })}
      remove={(member) => acting.platform.removeDataPoolMember(pathOf(member))}
      inWords={rightsInWords}
      roleHint="Members who manage members can also read and change files."
      removal="They can no longer use the files. What they have started goes on."
    />
  );
}
