import { Button, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useActing, useMay } from '../../data/context.tsx';
import { servicesQuery } from '../../data/queries.ts';
import { Icon } from '../../look/icons.tsx';
import { PageHead } from '../../look/parts.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { ServiceList } from './service-list.tsx';

export function Services() {
  useTitle('Services');
  const acting = useActing();
  const mayCreate = useMay('service:create');
  const navigate = useNavigate();
  const { q } = useSearch({ strict: false }) as { q?: unknown };
  const wanted = typeof q === 'string' || typeof q === 'number' ? String(q) : '';
  const services = useInfiniteQuery(servicesQuery(acting));
  const all = services.data?.pages.flat() ?? [];
  const rows = all.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
  const filter = (text: string): void =>
    void navigate({ to: `${acting.base}/services`, search: text === '' ? {} : { q: text }, replace: true });
  return (
    <>
      <PageHead
        title="Services"
        actions={
          mayCreate && (
            <Button
              leftSection={<Icon name="plus" />}
              renderRoot={(props) => <Link to={`${acting.base}/services/new`} {...props} />}
            >
              New service
            </Button>
          )
        }
      />
      <div className="stack">
        {services.error && <Problem error={services.error} onRetry={() => void services.refetch()} />}
        {(all.length > 0 || wanted !== '') && (
          <TextInput
            aria-label="Filter by name"
            placeholder="Filter by name"
            maxLength={200}
            leftSection={<Icon name="search" size={15} />}
            value={wanted}
            onChange={(event) => filter(event.currentTarget.value)}
            style={{ maxWidth: 320 }}
          />
        )}
        {wanted !== '' && all.length > 0 && rows.length === 0 ? (
          <div className="panel quiet">
            No service that is shown here has this name. {services.hasNextPage && 'There are more below.'}
          </div>
        ) : (
          <ServiceList rows={rows} isLoading={services.isPending} />
        )}
        {services.hasNextPage && (
          <Button variant="default" loading={services.isFetchingNextPage} onClick={() => void services.fetchNextPage()}>
            Show more
          </Button>
        )}
      </div>
    </>
  );
}
