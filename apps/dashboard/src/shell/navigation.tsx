import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ComponentPropsWithRef } from 'react';
import { isEnough, type ActingContext } from '../data/context.tsx';
import { sessionQuery } from '../data/queries.ts';
import { Icon, type IconName } from '../look/icons.tsx';

const menus = () => import('./menus.tsx');
const ContextChoice = lazy(async () => ({ default: (await menus()).ContextChoice }));

type Entry = readonly [to: string, name: string, icon: IconName];

/** Pages of a context in the order of the sidebar. What the role forbids is left out. */
export function sectionsOf(
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

export interface Context {
  readonly acting: ActingContext;
  readonly person: string;
  readonly organizations: readonly { readonly id: string; readonly name: string; readonly role: string }[];
}

/** Choice of the context, and the pages of the chosen one. */
export function Navigation(context: Context) {
  const { acting } = context;
  const session = useQuery(sessionQuery(acting.platform));
  const isAdministrator = acting.organizationId === null && session.data?.administrator === true;
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

/** Names the context. The menu that changes it is loaded when it is wanted. */
function ContextMenu(context: Context) {
  const { acting } = context;
  const [isWanted, setWanted] = useState(false);
  const button = (
    <ContextButton
      acting={acting}
      aria-haspopup="menu"
      onPointerEnter={() => void menus()}
      onClick={() => setWanted(true)}
    />
  );
  return isWanted ? (
    <Suspense fallback={button}>
      <ContextChoice {...context} />
    </Suspense>
  ) : (
    button
  );
}

/** The button that shows the context. */
export function ContextButton({
  acting,
  ...others
}: { readonly acting: ActingContext } & ComponentPropsWithRef<'button'>) {
  return (
    <button
      type="button"
      aria-label={`Acting for ${acting.name}. Change`}
      {...others}
      // The menu has a class of its own for its target, which would take this one's place.
      className="finder"
      style={{ width: '100%', margin: 0, height: 38, color: 'var(--ink)' }}
    >
      <Icon name={acting.organizationId === null ? 'person' : 'organization'} />
      <span style={{ display: 'inline', textOverflow: 'ellipsis' }}>{acting.name}</span>
      <span aria-hidden="true" style={{ display: 'inline', flex: 'none' }}>
        ⌄
      </span>
    </button>
  );
}
