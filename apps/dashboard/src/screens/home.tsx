import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useActing, useMay } from '../data/context.tsx';
import { executionsQuery, isEnded, servicesQuery } from '../data/queries.ts';
import { Icon } from '../look/icons.tsx';
import { PageHead } from '../look/parts.tsx';
import { useTitle } from '../shell/keys.ts';
import { Problem } from '../shell/problem.tsx';
import { ExecutionList } from './executions/execution-list.tsx';
import { ServiceList } from './services/service-list.tsx';

/** Rows of each list on this page. */
const SHOWN = 6;

/** Home of a context: running executions, the last ended ones, and the newest services. */
export function Home() {
  useTitle('Home');
  const acting = useActing();
  const mayCreate = useMay('service:create');
  const services = useInfiniteQuery(servicesQuery(acting));
  const executions = useInfiniteQuery(executionsQuery(acting, {}));
  const recent = executions.data?.pages.flat() ?? [];
  const running = recent.filter((one) => !isEnded(one)).length;
  const newest = services.data?.pages.flat() ?? [];
  return (
    <>
      <PageHead
        title={acting.name}
        note={
          <span className="quiet">
            {running === 0 ? 'Nothing runs at the moment.' : `${running} running or waiting at the moment.`}
          </span>
        }
        actions={
          mayCreate && (
            <Button renderRoot={(props) => <Link to={`${acting.base}/services/new`} {...props} />}>
              <Icon name="plus" />
              &nbsp;New service
            </Button>
          )
        }
      />
      <div className="stack">
        {services.error && <Problem error={services.error} onRetry={() => void services.refetch()} />}
        {executions.error && <Problem error={executions.error} onRetry={() => void executions.refetch()} />}
        <section aria-labelledby="recent">
          <div className="row apart" style={{ marginBottom: 8 }}>
            <h2 id="recent">Last executions</h2>
            <Link to={`${acting.base}/executions`}>All executions</Link>
          </div>
          <ExecutionList rows={recent.slice(0, SHOWN)} isLoading={executions.isPending} />
        </section>
        <section aria-labelledby="newest">
          <div className="row apart" style={{ marginBottom: 8 }}>
            <h2 id="newest">Newest services</h2>
            <Link to={`${acting.base}/services`}>All services</Link>
          </div>
          <ServiceList rows={newest.slice(0, SHOWN)} isLoading={services.isPending} />
        </section>
      </div>
    </>
  );
}
