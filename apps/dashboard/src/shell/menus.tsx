import { ActionIcon, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useSession } from '../data/context.tsx';
import { ownInvitationsQuery } from '../data/organization-queries.ts';
import { Icon } from '../look/icons.tsx';
import { roleInWords } from '../look/roles.ts';
import { ContextButton, type Context } from './navigation.tsx';
import { initials } from './person.ts';

// The menus of the frame. They are loaded when one is opened first, and are open then.

/** Chooses for whom the person acts. */
export function ContextChoice({ acting, person, organizations }: Context) {
  const navigate = useNavigate();
  const { data: invitations = [] } = useQuery(ownInvitationsQuery(acting));
  const open = (to: string) => (): void => void navigate({ to });
  return (
    <Menu width="target" defaultOpened>
      <Menu.Target>
        <ContextButton acting={acting} />
      </Menu.Target>
      <Menu.Dropdown style={{ maxHeight: '70vh', overflowY: 'auto' }}>
        <Menu.Label>Act for</Menu.Label>
        <Menu.Item leftSection={<Icon name="person" size={15} />} onClick={open('/me')}>
          {person}
        </Menu.Item>
        {organizations.map(({ id, name, role }) => (
          <Menu.Item key={id} leftSection={<Icon name="organization" size={15} />} onClick={open(`/org/${id}`)}>
            {name} <span className="quiet small">{roleInWords(role)}</span>
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item leftSection={<Icon name="plus" size={15} />} onClick={open('/me/organizations')}>
          {invitations.length === 0 ? 'Organizations' : `Organizations, ${countOf(invitations.length)}`}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function countOf(invitations: number): string {
  return invitations === 1 ? '1 invitation' : `${invitations} invitations`;
}

/** Pages about the person, and sign-out. */
export function AccountMenu({ person }: { readonly person: string }) {
  const navigate = useNavigate();
  const session = useSession();
  return (
    <Menu position="bottom-end" width={220} defaultOpened>
      <Menu.Target>
        <ActionIcon variant="light" radius="xl" size={30} aria-label={`${initials(person)}: account of ${person}`}>
          <span className="small">{initials(person)}</span>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{person}</Menu.Label>
        <Menu.Item leftSection={<Icon name="person" size={15} />} onClick={() => void navigate({ to: '/me/profile' })}>
          Profile
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="key" size={15} />} onClick={() => void navigate({ to: '/me/tokens' })}>
          Access tokens
        </Menu.Item>
        <Menu.Item component="a" href="/api/openapi.json">
          Description of the interface
        </Menu.Item>
        <Menu.Item leftSection={<Icon name="signOut" size={15} />} onClick={() => session.signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
