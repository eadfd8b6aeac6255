import { ActionIcon, Menu, Modal, useMantineColorScheme } from '@mantine/core';
import { spotlight } from '@mantine/spotlight';
import { onlineManager, useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { platformFor } from '../data/client.ts';
import { Acting, useSession, type ActingContext } from '../data/context.tsx';
import { meQuery, organizationsQuery } from '../data/queries.ts';
import { Icon } from '../look/icons.tsx';
import { Ket } from '../look/parts.tsx';
import { SignInAgain } from './sign-in-again.tsx';
import { KEYS, useFrameKeys } from './keys.ts';
import { Navigation } from './navigation.tsx';
import { Palette } from './palette.tsx';
import { Problem } from './problem.tsx';
import { Waiting } from '../screens/waiting.tsx';
import { KethubError } from '@kethub/client';

/** Everything around a screen: header, navigation, context, palette. */
export function Frame() {
  const session = useSession();
  const { organizationId = null } = useParams({ strict: false }) as { organizationId?: string };
  const platform = useMemo(() => platformFor(session, organizationId), [session, organizationId]);
  const own = useMemo(() => platformFor(session, null), [session]);
  const me = useQuery(meQuery(own));
  const organizations = useQuery({ ...organizationsQuery(own), enabled: me.isSuccess });
  const organization = organizations.data?.find(({ id }) => id === organizationId);
  const person = me.data ? `${me.data.firstname} ${me.data.lastname}` : '…';

  if (me.error instanceof KethubError && me.error.status === 403) return <Waiting error={me.error} />;
  // Later, a dialog asks: what has been typed stays.
  if (!me.data && me.error instanceof KethubError && me.error.status === 401) return <SignInAgain isFirst />;
  if (me.isPending) return <Loading />;
  if (!me.data) return <Outside error={me.error} onRetry={() => void me.refetch()} />;
  if (organizationId !== null && organizations.isPending) return <Loading />;
  if (organizationId !== null && !organization)
    return (
      <Outside
        error={
          organizations.error ??
          new KethubError({
            code: 'not-found',
            status: 404,
            title: 'No such organization',
            detail: 'You are no member of this organization, or it has been deleted. Choose another context.',
          })
        }
      />
    );
  const acting: ActingContext = {
    platform,
    base: organizationId === null ? '/me' : `/org/${organizationId}`,
    organizationId,
    name: organization?.name ?? person,
    role: organization?.role ?? 'OWNER',
  };
  return (
    <Acting value={acting}>
      <Framed person={person} acting={acting} organizations={organizations.data ?? []} />
      <SignInAgain isFirst={false} />
    </Acting>
  );
}

function Loading() {
  return (
    <div className="skeleton" role="status">
      <span className="sr-only">Loading…</span>
    </div>
  );
}

function Outside({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  return (
    <main className="landing">
      <Problem error={error} {...(onRetry && { onRetry })} />
      <p>
        <a href="/me">Your own services</a>
      </p>
    </main>
  );
}

function Framed({
  person,
  acting,
  organizations,
}: {
  readonly person: string;
  readonly acting: ActingContext;
  readonly organizations: readonly { readonly id: string; readonly name: string; readonly role: string }[];
}) {
  const navigate = useNavigate();
  const session = useSession();
  const { pathname } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const [isHelp, setHelp] = useState(false);
  const main = useRef<HTMLElement>(null);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const isOnline = useSyncExternalStore(
    (changed) => onlineManager.subscribe(changed),
    () => onlineManager.isOnline(),
  );
  useFrameKeys(
    (screen) => void navigate({ to: acting.base + screen }),
    () => setHelp(true),
  );
  useEffect(() => setOpen(false), [pathname]);
  const isDark = document.documentElement.dataset['mantineColorScheme'] === 'dark';

  return (
    <>
      <a href="#main" className="sr-only" onClick={() => main.current?.focus()}>
        Skip to content
      </a>
      <header className="header">
        <div className="burger">
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label="Navigation"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name="menu" />
          </ActionIcon>
        </div>
        <Link to={acting.base} className="brand" aria-label="Kethub, home">
          <Ket>Kethub</Ket>
        </Link>
        <button type="button" className="finder" onClick={() => spotlight.open()}>
          <Icon name="search" size={15} />
          <span>Search or go to…</span>
          <kbd>Ctrl K</kbd>
        </button>
        <div className="grow" />
        <ActionIcon variant="subtle" color="gray" aria-label="Keys" onClick={() => setHelp(true)}>
          <Icon name="help" />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={isDark ? 'Light colours' : 'Dark colours'}
          onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
        >
          <Icon name={isDark ? 'sun' : 'moon'} key={colorScheme} />
        </ActionIcon>
        <Menu position="bottom-end" width={220}>
          <Menu.Target>
            <ActionIcon variant="light" radius="xl" size={30} aria-label={`${initials(person)}: account of ${person}`}>
              <span className="small">{initials(person)}</span>
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>{person}</Menu.Label>
            <Menu.Item
              leftSection={<Icon name="person" size={15} />}
              onClick={() => void navigate({ to: '/me/profile' })}
            >
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
      </header>
      {!isOnline && (
        <div className="bar" role="status">
          No network. What you see stays; it is renewed when the network is back.
        </div>
      )}
      <div className="body">
        <nav className={isOpen ? 'sidebar open' : 'sidebar'} aria-label="Main">
          <div>
            <Navigation acting={acting} person={person} organizations={organizations} />
          </div>
        </nav>
        <main id="main" ref={main} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <Palette />
      <Modal opened={isHelp} onClose={() => setHelp(false)} title="Keys" lockScroll={false}>
        <dl className="facts">
          {KEYS.map(({ keys, does }) => (
            <div key={keys} style={{ display: 'contents' }}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </Modal>
    </>
  );
}

function initials(name: string): string {
  return name
    .split(/\s+/)
    .map(([first = '']) => first)
    .join('')
    .slice(0, 2)
    .toUpperCase();
}
