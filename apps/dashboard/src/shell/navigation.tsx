import { Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { isEnough, type ActingContext } from '../data/context.tsx';
import { ownInvitationsQuery } from '../data/organization-queries.ts';
import { administratorQuery } from '../data/usage-queries.ts';
import { Icon, type IconName } from '../look/icons.tsx';
import { roleInWords } from '../look/roles.ts';

type Entry = readonly [to: string, name: string, icon: IconName];

/** Pages of a context in the order of the sidebar. What the role forbids is left out. */
function sectionsOf(
  { organizationId, role }: ActingContext,
  isAdministrator: boolean,
): readonly (readonly [title: string, links: readonly Entry[]])[] {
  const may = (operation: Parameters<typeof isEnough>[1]) => isEnough(role, operation);
  const manage: readonly Entry[] = [
    organizationId === null
      ? ['/organizations', 'Organizations', 'organization']
      : ['/organization', 'Organization', 'organization'],
    ['/usage', 'Usage', 'usage'],
    ...(may('provider-access-token:list') ? [['/provider-tokens', 'Provider tokens', 'key'] as const] : []),
    ...(may('audit-log:read') ? [['/audit', 'Audit log', 'audit'] as const] : []),
    ...(isAdministrator ? [['/administration', 'Administration', 'shield'] as const] : []),
  ];
  return [
    [
      'Build',
      [
        ['/services', 'Services', 'services'],
        ['/workflows', 'Workflows', 'workflows'],
        ['/incidents', 'Incidents', 'incident'],
        ['/implementations', 'Implementations', 'code'],
      ],
    ],
    [
      'Use',
      [
        ['/marketplace', 'Marketplace', 'marketplace'],
        ['/executions', 'Executions', 'executions'],
        ['/applications', 'Applications', 'applications'],
        ['/shared', 'Shared with you', 'shared'],
        ['/data-pools', 'Data pools', 'pool'],
      ],
    ],
    ['Manage', manage],
  ];
}

interface Context {
  readonly acting: ActingContext;
  readonly person: string;
  readonly organizations: readonly { readonly id: string; readonly name: string; readonly role: string }[];
}

/** Choice of the context, and the pages of the chosen one. */
export function Navigation(context: Context) {
  const { acting } = context;
  const administrator = useQuery(administratorQuery(acting));
  const isAdministrator = acting.organizationId === null && administrator.data === true;
  return (
    <>
      <ContextMenu {...context} />
      <div style={{ height: 8 }} />
      <NavLink to={acting.base} name="Home" icon="home" isExact />
      {sectionsOf(acting, isAdministrator).map(([title, links]) => (
        <div key={title}>
          <h2>{title}</h2>
          {links.map(([to, name, icon]) => (
            <NavLink key={to} to={acting.base + to} name={name} icon={icon} />
          ))}
        </div>
      ))}
    </>
  );
}

function NavLink({
  to,
  name,
  icon,
  isExact = false,
}: {
  readonly to: string;
  readonly name: string;
  readonly icon: IconName;
  /** True if pages below the address count as others. */
  readonly isExact?: boolean;
}) {
  return (
    <Link to={to} preload="intent" activeOptions={{ exact: isExact, includeSearch: false }}>
      <Icon name={icon} />
      {name}
    </Link>
  );
}

/** Chooses for whom the person acts. */
function ContextMenu({ acting, person, organizations }: Context) {
  const navigate = useNavigate();
  const { data: invitations = [] } = useQuery(ownInvitationsQuery(acting));
  const open = (to: string) => (): void => void navigate({ to });
  return (
    <Menu width="target">
      <Menu.Target>
        <button
          type="button"
          className="finder"
          style={{ width: '100%', margin: 0, height: 38, color: 'var(--ink)' }}
          aria-label={`Acting for ${acting.name}. Change`}
        >
          <Icon name={acting.organizationId === null ? 'person' : 'organization'} />
          <span style={{ display: 'inline', textOverflow: 'ellipsis' }}>{acting.name}</span>
          <span aria-hidden="true" style={{ display: 'inline', flex: 'none' }}>
            ⌄
          </span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
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
