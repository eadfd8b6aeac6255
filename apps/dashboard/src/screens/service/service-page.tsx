import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { isMissing } from '../../data/form-query.ts';
import { useMay } from '../../data/context.tsx';
import { Ket, PageHead } from '../../look/parts.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { useServiceAddress } from './use-service.ts';
import { serviceQuery } from '../../data/queries.ts';

/** Head and tabs of a service. Each tab has an address of its own. */
export function ServicePage() {
  const { acting, serviceId, at } = useServiceAddress();
  const mayRun = useMay('execution:start');
  const service = useQuery(serviceQuery(acting, serviceId));
  useTitle(service.data?.name ?? 'Service');
  if (isMissing(service)) return <Problem error={service.error} onRetry={() => void service.refetch()} />;
  if (!service.data) return <div className="quiet">Loading…</div>;
  const tabs = [
    ['', 'Overview'],
    ...(mayRun && service.data.type !== 'ON_PREMISE' ? [['/run', 'Run']] : []),
    ...(service.data.type === 'WORKFLOW' ? [['/model', 'Model']] : []),
    ['/versions', 'Versions'],
    ...(service.data.type === 'WORKFLOW' ? [['/instances', 'Instances']] : []),
    ['/executions', 'Executions'],
    ['/sharing', 'Sharing'],
    ['/limits', 'Limits'],
    ['/listing', 'Marketplace'],
  ] as const;
  return (
    <>
      <PageHead
        trail={
          service.data.type === 'WORKFLOW' ? (
            <Link to={`${acting.base}/workflows`}>Workflows</Link>
          ) : (
            <Link to={`${acting.base}/services`}>Services</Link>
          )
        }
        title={<Ket>{service.data.name}</Ket>}
        note={service.data.description !== '' && <span className="quiet">{firstLine(service.data.description)}</span>}
      />
      <nav className="tabs" aria-label="Service">
        {tabs.map(([to, name]) => (
          <Link
            key={to}
            to={at + to}
            activeOptions={{ exact: to !== '/versions' && to !== '/instances', includeSearch: false }}
          >
            {name}
          </Link>
        ))}
      </nav>
      <Outlet />
    </>
  );
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n');
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
