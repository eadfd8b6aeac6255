import { Spotlight, type SpotlightActionData } from '@mantine/spotlight';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useActing } from '../data/context.tsx';
import { servicesQuery } from '../data/queries.ts';
import { Icon } from '../look/icons.tsx';

/** Search for a page or a service, opened by `Ctrl K` or `/`. */
export function Palette() {
  const acting = useActing();
  const navigate = useNavigate();
  const services = useInfiniteQuery(servicesQuery(acting));
  const go = (to: string) => (): void => void navigate({ to: acting.base + to });
  const page = (id: string, label: string, to: string, icon: SpotlightActionData['leftSection']) => ({
    id,
    label,
    onClick: go(to),
    leftSection: icon,
  });
  const actions = [
    {
      group: 'Pages',
      actions: [
        page('home', 'Home', '', <Icon name="home" />),
        page('services', 'Services', '/services', <Icon name="services" />),
        page('new-service', 'New service', '/services/new', <Icon name="plus" />),
        page('workflows', 'Workflows', '/workflows', <Icon name="workflows" />),
        page('incidents', 'Incidents', '/incidents', <Icon name="incident" />),
        page('implementations', 'Implementations', '/implementations', <Icon name="code" />),
        page('executions', 'Executions', '/executions', <Icon name="executions" />),
        page('applications', 'Applications', '/applications', <Icon name="applications" />),
        page('marketplace', 'Marketplace', '/marketplace', <Icon name="marketplace" />),
        page('shared', 'Shared with you', '/shared', <Icon name="shared" />),
        page('usage', 'Usage', '/usage', <Icon name="usage" />),
        page('data-pools', 'Data pools', '/data-pools', <Icon name="pool" />),
      ],
    },
    {
      group: 'You',
      actions: [
        {
          ...page('profile', 'Profile', '', <Icon name="person" />),
          onClick: () => void navigate({ to: '/me/profile' }),
        },
        {
          ...page('tokens', 'Access tokens', '', <Icon name="key" />),
          onClick: () => void navigate({ to: '/me/tokens' }),
        },
      ],
    },
    {
      group: 'Services',
      actions: (services.data?.pages.flat() ?? []).flatMap(({ id, name }) => [
        page(`run-${id}`, `Run ${name}`, `/services/${id}/run`, <Icon name="run" />),
        page(`open-${id}`, name, `/services/${id}`, <Icon name="services" />),
      ]),
    },
  ].filter((group) => group.actions.length > 0);
  return (
    <Spotlight
      actions={actions}
      shortcut={['mod + K', '/']}
      limit={12}
      highlightQuery
      scrollable
      maxHeight={420}
      lockScroll={false}
      nothingFound="Nothing has this name."
      searchProps={{ placeholder: 'Search or go to…', 'aria-label': 'Search or go to' }}
    />
  );
}
