import { Button, Select, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useActing } from '../../data/context.tsx';
import { executionsQuery, servicesQuery } from '../../data/queries.ts';
import { PageHead } from '../../look/parts.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { ExecutionList } from './execution-list.tsx';

interface Filter {
  readonly serviceId?: string;
  readonly tag?: string;
}

/** All executions of the person or the organization. The filter stands in the address. */
export function Executions() {
  useTitle('Executions');
  const acting = useActing();
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as { service?: unknown; tag?: unknown };
  const filter: Filter = {
    ...(typeof search.service === 'string' && { serviceId: search.service }),
    ...((typeof search.tag === 'string' || typeof search.tag === 'number') && { tag: String(search.tag) }),
  };
  const services = useInfiniteQuery(servicesQuery(acting));
  const executions = useInfiniteQuery(executionsQuery(acting, filter));
  const [tag, setTag] = useState(filter.tag ?? '');
  const show = (wanted: Filter): void =>
    void navigate({
      to: `${acting.base}/executions`,
      search: {
        ...(wanted.serviceId !== undefined && { service: wanted.serviceId }),
        ...(wanted.tag !== undefined && { tag: wanted.tag }),
      },
    });
  const rows = executions.data?.pages.flat() ?? [];
  const isFiltered = filter.serviceId !== undefined || filter.tag !== undefined;
  return (
    <>
      <PageHead
        title="Executions"
        actions={
          <Button variant="default" loading={executions.isRefetching} onClick={() => void executions.refetch()}>
            Refresh
          </Button>
        }
      />
      <div className="stack">
        {executions.error && <Problem error={executions.error} onRetry={() => void executions.refetch()} />}
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            const { tag: _, ...others } = filter;
            show(tag.trim() === '' ? others : { ...filter, tag: tag.trim() });
          }}
        >
          <Select
            aria-label="Service"
            placeholder="Every service"
            data={(services.data?.pages.flat() ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            value={filter.serviceId ?? null}
            onChange={(id) => {
              const { serviceId: _, ...others } = filter;
              show(id === null ? others : { ...filter, serviceId: id });
            }}
            clearable
            searchable
          />
          <TextInput
            aria-label="Tag"
            placeholder="Tag, then Enter"
            value={tag}
            onChange={(event) => setTag(event.currentTarget.value)}
          />
          {isFiltered && (
            <Button
              variant="subtle"
              onClick={() => {
                setTag('');
                show({});
              }}
            >
              Show all
            </Button>
          )}
        </form>
        {isFiltered && executions.isSuccess && rows.length === 0 ? (
          <div className="panel quiet">No execution fits this filter.</div>
        ) : (
          <ExecutionList rows={rows} isLoading={executions.isPending} />
        )}
        {executions.hasNextPage && (
          <Button
            variant="default"
            loading={executions.isFetchingNextPage}
            onClick={() => void executions.fetchNextPage()}
          >
            Show more
          </Button>
        )}
      </div>
    </>
  );
}
