import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { isMissing } from '../../data/form-query.ts';
import { implementationQuery } from '../../data/implementation-queries.ts';
import { CopyButton, PageHead } from '../../look/parts.tsx';
import { useTitle } from '../../shell/keys.ts';
import { Problem } from '../../shell/problem.tsx';
import { useImplementationAddress } from './use-implementation.ts';

const TABS = [
  ['', 'Code'],
  ['/commits', 'Commits'],
  ['/branches', 'Branches and tags'],
  ['/compare', 'Compare'],
  ['/services', 'Services'],
  ['/settings', 'Settings'],
] as const;

/** Head and tabs of an implementation. Each tab has an address of its own. */
export function ImplementationPage() {
  const { acting, implementationId, at } = useImplementationAddress();
  const implementation = useQuery(implementationQuery(acting, implementationId));
  useTitle(implementation.data?.value.name ?? 'Implementation');
  if (isMissing(implementation))
    return <Problem error={implementation.error} onRetry={() => void implementation.refetch()} />;
  if (!implementation.data) return <div className="quiet">Loading…</div>;
  const { name, description, visibility, cloneUrl } = implementation.data.value;
  const clone = `git clone ${cloneUrl}`;
  const isVisitor = acting.base === '';
  const tabs = TABS.filter(([to]) => !isVisitor || (to !== '/services' && to !== '/settings'));
  return (
    <>
      <PageHead
        trail={<Link to={`${acting.base}/implementations`}>Implementations</Link>}
        title={name}
        note={
          <div>
            {description !== '' && <div className="quiet">{description.slice(0, 200)}</div>}
            <div className="row small">
              <span className="quiet">{visibility === 'PUBLIC' ? 'public' : 'private'}</span>
              <code style={{ overflowWrap: 'anywhere' }}>{clone}</code>
              <CopyButton value={clone} label="Copy the clone command" />
            </div>
          </div>
        }
      />
      <nav className="tabs" aria-label="Implementation">
        {tabs.map(([to, title]) => (
          <Link key={to} to={at + to} activeOptions={{ exact: to !== '/commits', includeSearch: false }}>
            {title}
          </Link>
        ))}
      </nav>
      <Outlet />
    </>
  );
}
