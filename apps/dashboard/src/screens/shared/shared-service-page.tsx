import { Link, Outlet } from '@tanstack/react-router';
import { isMissing } from '../../data/form-query.ts';
import { useMay } from '../../data/context.tsx';
import { useNames } from '../../data/use-names.ts';
import { Ket, PageHead, Time } from '../../look/parts.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { useSharedService } from './use-shared.ts';

/** Head and tabs of a service that somebody has shared. */
export function SharedServicePage() {
  const { acting, at, service } = useSharedService();
  const mayRun = useMay('execution:start');
  const nameOf = useNames(service.data ? [service.data.owner] : []);
  useTitle(service.data?.name ?? 'Shared service');
  if (isMissing(service)) return <Problem error={service.error} onRetry={() => void service.refetch()} />;
  if (!service.data) return <div className="quiet">Loading…</div>;
  const { name, owner, endDate, versions } = service.data;
  const isRunnable = versions.some(({ opens }) => opens.includes('JOBS'));
  return (
    <>
      <PageHead
        trail={<Link to={`${acting.base}/shared`}>Shared with you</Link>}
        title={<Ket>{name}</Ket>}
        note={
          <span className="quiet">
            from {nameOf(owner)},{' '}
            {endDate === null ? (
              'without end'
            ) : (
              <>
                ends <Time at={endDate} />
              </>
            )}
          </span>
        }
      />
      <nav className="tabs" aria-label="Service">
        <Link to={at} activeOptions={{ exact: true, includeSearch: false }}>
          Overview
        </Link>
        {mayRun && isRunnable && (
          <Link to={`${at}/run`} activeOptions={{ includeSearch: false }}>
            Run
          </Link>
        )}
      </nav>
      <Outlet />
    </>
  );
}
