import { ActionIcon, useMantineColorScheme } from '@mantine/core';
import { onlineManager, useQuery } from '@tanstack/react-query';
import { Link, Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { platformFor } from '../data/client.ts';
import { Acting, useSession, type ActingContext } from '../data/context.tsx';
import { sessionQuery } from '../data/queries.ts';
import { Icon } from '../look/icons.tsx';
import { Ket } from '../look/parts.tsx';
import { SignInAgain } from './sign-in-again.tsx';
import { useFrameKeys } from './keys.ts';
import { initials } from './person.ts';
import { Navigation } from './navigation.tsx';
import { Problem } from './problem.tsx';
import { Waiting } from '../screens/waiting.tsx';
import { KethubError } from '@kethub/client';

/** Parts that are loaded when somebody opens them first. */
const Palette = lazy(() => import('./palette.tsx'));
const KeysHelp = lazy(() => import('./keys-help.tsx'));
const menus = () => import('./menus.tsx');
const AccountMenu = lazy(async () => ({ default: (await menus()).AccountMenu }));

/** Everything around a screen: header, navigation, context, palette. */
export function Frame() {
  const session = useSession();
  const { organizationId = null } = useParams({ strict: false }) as { organizationId?: string };
  const platform = useMemo(() => platformFor(session, organizationId), [session, organizationId]);
  const own = useMemo(() => platformFor(session, null), [session]);
  const { data: known, error, isPending, refetch } = useQuery(sessionQuery(own));
  if (error instanceof KethubError && error.status === 403) return <Waiting error={error} />;
  if (!known) {
    if (error instanceof KethubError && error.status === 401) return <SignInAgain isFirst />;
    return isPending ? <Loading /> : <Outside error={error} onRetry={() => void refetch()} />;
  }
  // A later failure leaves the screen as it is: what is typed in it would be lost.
  if (known.registration.status !== 'APPROVED') return <Waiting registration={known.registration} />;
  const { organizations } = known;
  const organization = organizations.find(({ id }) => id === organizationId);
  const person = `${known.person.firstname} ${known.person.lastname}`;
  if (organizationId !== null && !organization) return <Outside error={noOrganization()} />;
  const acting: ActingContext = {
    platform,
    base: organizationId === null ? '/me' : `/org/${organizationId}`,
    organizationId,
    name: organization?.name ?? person,
    role: organization?.role ?? 'OWNER',
  };
  return (
    <Acting value={acting}>
      <Framed person={person} acting={acting} organizations={organizations} />
      <SignInAgain isFirst={false} />
    </Acting>
  );
}

function noOrganization(): KethubError {
  return new KethubError({
    code: 'not-found',
    status: 404,
    title: 'No such organization',
    detail: 'You are no member of this organization, or it has been deleted. Choose another context.',
  });
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
  const { pathname } = useLocation();
  const [isOpen, setOpen] = useState(false);
  const [isHelp, setHelp] = useState(false);
  const [asked, setAsked] = useState<{ readonly isOfPage: boolean } | null>(null);
  const search = (): void => setAsked({ isOfPage: false });
  const main = useRef<HTMLElement>(null);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const isOnline = useSyncExternalStore(
    (changed) => onlineManager.subscribe(changed),
    () => onlineManager.isOnline(),
  );
  useFrameKeys({
    go: (screen) => void navigate({ to: acting.base + screen }),
    help: () => setHelp(true),
    search,
    actions: () => setAsked({ isOfPage: true }),
  });
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
        <button type="button" className="finder" onClick={search}>
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
        <Account person={person} />
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
      <Suspense>{asked !== null && <Palette asked={asked} />}</Suspense>
      <Suspense>{isHelp && <KeysHelp onClose={() => setHelp(false)} />}</Suspense>
    </>
  );
}

/** The button of the account. Its menu is loaded when it is wanted. */
function Account({ person }: { readonly person: string }) {
  const [isWanted, setWanted] = useState(false);
  const button = (
    <ActionIcon
      variant="light"
      radius="xl"
      size={30}
      aria-label={`${initials(person)}: account of ${person}`}
      aria-haspopup="menu"
      onPointerEnter={() => void menus()}
      onClick={() => setWanted(true)}
    >
      <span className="small">{initials(person)}</span>
    </ActionIcon>
  );
  return isWanted ? (
    <Suspense fallback={button}>
      <AccountMenu person={person} />
    </Suspense>
  ) : (
    button
  );
}
