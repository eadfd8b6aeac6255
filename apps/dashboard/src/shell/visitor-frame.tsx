import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { platformForVisitor } from '../data/client.ts';
import { Acting, useSession, type ActingContext } from '../data/context.tsx';
import { Ket } from '../look/parts.tsx';
import { SignInButton } from '../screens/landing.tsx';

/** The frame of pages that everybody may see. Whoever is signed in goes on to the same page with their own rights. */
export function VisitorFrame() {
  const session = useSession();
  const navigate = useNavigate();
  const { href } = useLocation();
  const [isVisitor, setVisitor] = useState(false);
  useEffect(() => {
    let isOver = false;
    session.token().then(
      () => {
        if (!isOver) void navigate({ href: `/me${href}`, replace: true });
      },
      () => {
        if (!isOver) setVisitor(true);
      },
    );
    return () => {
      isOver = true;
    };
    // Once: whoever signs in later does so on another page.
  }, [session]);
  const acting = useMemo<ActingContext>(
    () => ({ platform: platformForVisitor(), base: '', organizationId: null, name: 'Visitor', role: 'VIEWER' }),
    [],
  );
  if (!isVisitor) return <div className="skeleton" />;
  return (
    <Acting value={acting}>
      <header className="header">
        <Link to="/" className="brand" aria-label="Kethub, first page">
          <Ket>Kethub</Ket>
        </Link>
        <Link to="/implementations">Public implementations</Link>
        <div className="grow" />
        <SignInButton returnTo={`/me${href}`} />
      </header>
      <main id="main" className="visitor" tabIndex={-1}>
        <Outlet />
      </main>
    </Acting>
  );
}
