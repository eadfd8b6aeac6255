import type { MemberRole } from '@kethub/contract';
import { useQuery } from '@tanstack/react-query';
import { isEnough } from '../../data/context.tsx';
import { implementationMembersQuery } from '../../data/implementation-queries.ts';
import { MemberList } from '../../forms/members.tsx';
import type { Recipient } from '../../forms/recipient-field.tsx';
import { roleInWords } from '../../look/roles.ts';
import { useImplementationAddress } from './use-implementation.ts';

/** Members of an implementation: people and organizations that may use it beside its owner. */
export function Members({ role, owner }: { readonly role: MemberRole; readonly owner: Recipient }) {
  const { acting, implementationId } = useImplementationAddress();
  const query = implementationMembersQuery(acting, implementationId);
  const pathOf = ({ type, id }: Recipient) => ({ implementationId, memberType: type, memberId: id });
  return (
    <MemberList
      members={useQuery(query)}
      queryKey={query.queryKey}
      owner={owner}
      mayChange={isEnough(role, 'implementation-member:change')}
      put={(member, role) => acting.platform.putImplementationMember({ ...pathOf(member), json: { role } })}
      remove={(member) => acting.platform.removeImplementationMember(pathOf(member))}
      inWords={roleInWords}
      roleHint="An owner also changes settings and members; a maintainer also pushes."
      removal="They can no longer read or push. What they have cloned stays theirs."
    />
  );
}
