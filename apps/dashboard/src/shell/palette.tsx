import type { FoundThing } from '@kethub/contract';
import '@mantine/spotlight/styles.css';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, spotlight } from '@mantine/spotlight';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { useActing, useMay } from '../data/context.tsx';
import { searchQuery, servicesQuery, sessionQuery } from '../data/queries.ts';
import { Icon, type IconName } from '../look/icons.tsx';
import { sectionsOf } from './navigation.tsx';
import { actionsOfPage } from './page-actions.ts';

/** Milliseconds after the last key until the platform is searched. */
const PAUSE_MS = 200;
/** Services that are offered before anything is typed. */
const NEWEST = 8;

const KINDS: Readonly<Record<FoundThing['type'], readonly [path: string, icon: IconName, word: string]>> = {
  SERVICE: ['/services', 'services', 'service'],
  APPLICATION: ['/applications', 'applications', 'application'],
  DATA_POOL: ['/data-pools', 'pool', 'data pool'],
  IMPLEMENTATION: ['/implementations', 'code', 'implementation'],
};

/** Search for a page, for anything of the context by its name, or for an action of the page. Opens with each `asked`. */
export default function Palette({
  asked,
}: {
  /** True in `isOfPage` for the actions of the page only. */
  readonly asked: { readonly isOfPage: boolean };
}) {
  const acting = useActing();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [wanted] = useDebouncedValue(asked.isOfPage ? '' : typed.trim(), PAUSE_MS);
  const session = useQuery(sessionQuery(acting.platform));
  const services = useInfiniteQuery(servicesQuery(acting));
  const found = useQuery({ ...searchQuery(acting, wanted), placeholderData: (before) => before });
  const mayCreate = useMay('service:create');
  const mayRun = useMay('execution:start');
  useEffect(() => spotlight.open(), [asked]);
  const entry = (id: string, label: string, to: string, icon: IconName, description?: string) => ({
    id,
    label,
    onClick: () => void navigate({ to }),
    leftSection: <Icon name={icon} />,
    ...(description !== undefined && { description }),
  });
  const isAdministrator = acting.organizationId === null && session.data?.administrator === true;
  const pages = sectionsOf(acting, isAdministrator).flatMap(([, links]) =>
    links.map(([to, label, icon]) => entry(`page ${to}`, label, acting.base + to, icon)),
  );
  const newest = (services.data?.pages.flat() ?? []).slice(0, NEWEST);
  const ofPage = {
    group: 'On this page',
    actions: useMemo(() => (asked.isOfPage ? actionsOfPage() : []), [asked]).map(({ label, element }) => ({
      id: `here ${label}`,
      label,
      onClick: () => element.click(),
      leftSection: <Icon name="run" />,
    })),
  };
  const everywhere = [
    {
      group: 'Pages',
      actions: [
        entry('home', 'Home', acting.base, 'home'),
        ...pages,
        ...(mayCreate ? [entry('new-service', 'New service', `${acting.base}/services/new`, 'plus')] : []),
        entry('profile', 'Profile', '/me/profile', 'person'),
        entry('tokens', 'Access tokens', '/me/tokens', 'key'),
      ],
    },
    {
      group: 'Services',
      actions: newest.flatMap(({ id, name, type }) => [
        ...(mayRun && type !== 'ON_PREMISE'
          ? [entry(`run ${id}`, `Run ${name}`, `${acting.base}/services/${id}/run`, 'run')]
          : []),
        entry(`open ${id}`, name, `${acting.base}/services/${id}`, 'services'),
      ]),
    },
    {
      group: 'Found',
      actions: (wanted === '' ? [] : (found.data ?? []))
        .filter(({ id }) => !newest.some((one) => one.id === id))
        .map(({ type, id, name }) => {
          const [path, icon, word] = KINDS[type];
          return entry(`found ${id}`, name, `${acting.base}${path}/${id}`, icon, word);
        }),
    },
  ];
  const actions = (asked.isOfPage ? [ofPage] : everywhere).filter((group) => group.actions.length > 0);
  return (
    <Spotlight
      actions={actions}
      query={typed}
      onQueryChange={setTyped}
      shortcut={null}
      limit={20}
      highlightQuery
      scrollable
      maxHeight={420}
      lockScroll={false}
      nothingFound={
        asked.isOfPage
          ? 'Nothing of this name can be done here.'
          : found.isFetching
            ? 'Searching…'
            : 'Nothing has this name.'
      }
      searchProps={
        asked.isOfPage
          ? { placeholder: 'Do on this page…', 'aria-label': 'Do on this page' }
          : { placeholder: 'Search or go to…', 'aria-label': 'Search or go to' }
      }
    />
  );
}
