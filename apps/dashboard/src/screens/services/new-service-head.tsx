import { Link } from '@tanstack/react-router';
import { useActing } from '../../data/context.tsx';
import { PageHead } from '../../look/parts.tsx';

/** Head of the pages that make a service, with a tab for each kind. */
export function NewServiceHead() {
  const { base } = useActing();
  return (
    <>
      <PageHead trail={<Link to={`${base}/services`}>Services</Link>} title="New service" />
      <nav className="tabs" aria-label="Where it runs">
        <Link to={`${base}/services/new`} activeOptions={{ exact: true }}>
          Runs here
        </Link>
        <Link to={`${base}/services/new/on-premise`}>Runs elsewhere</Link>
      </nav>
    </>
  );
}

/** Shown to a viewer in the place of the form. */
export function MayNotCreate() {
  return (
    <>
      <NewServiceHead />
      <div className="panel quiet">Maintainers and owners can make services here. Ask an owner for that role.</div>
    </>
  );
}
