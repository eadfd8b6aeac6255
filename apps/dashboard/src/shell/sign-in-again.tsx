import { Button } from '@mantine/core';
import { useQueryClient, type Query } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useSession } from '../data/context.tsx';
import { FORM } from '../data/form-query.ts';

const dialog = () => import('./session-ended.tsx');
const SessionEnded = lazy(dialog);
/** Milliseconds after which the dialog is loaded, so that it is there when the platform is not. */
const SOON_MS = 3_000;

/**
 * Asks to sign in. With `isFirst` nothing is on the page yet, so the page itself goes to the provider. Otherwise the
 * sign-in is in another tab, and everything that was typed here stays.
 */
export function SignInAgain({ isFirst }: { readonly isFirst: boolean }) {
  const session = useSession();
  const client = useQueryClient();
  const [isNeeded, setNeeded] = useState(false);
  const [address, setAddress] = useState<string | null>(null);
  useEffect(
    () =>
      session.onChange((isSignedIn) => {
        setNeeded(!isSignedIn);
      }),
    [session],
  );
  useEffect(() => {
    if (isFirst && !session.hasComeBack)
      void session.signIn.address(location.pathname + location.search).then((to) => location.replace(to));
    else if (isNeeded) void session.signIn.addressForOtherTab().then(setAddress);
  }, [isFirst, isNeeded, session]);
  useEffect(() => {
    const timer = setTimeout(() => void dialog().catch(() => undefined), SOON_MS);
    return () => clearTimeout(timer);
  }, []);
  // Back from the other tab: the session is there again, and what failed is asked for anew.
  useEffect(() => {
    if (!isNeeded || isFirst) return undefined;
    const look = (): void =>
      void session.token().then(
        () => client.invalidateQueries({ predicate: isMissed }),
        () => undefined,
      );
    addEventListener('focus', look);
    return () => removeEventListener('focus', look);
  }, [isNeeded, isFirst, session, client]);
  if (isFirst && session.hasComeBack)
    return (
      <main className="landing stack">
        <h1>Not signed in</h1>
        <p style={{ margin: 0 }}>
          You have signed in, and the platform does not accept it. Sign out and sign in again. If that does not help,
          tell an administrator.
        </p>
        <div className="row">
          <Button onClick={() => session.signOut()}>Sign out</Button>
        </div>
      </main>
    );
  if (isFirst) return <div className="skeleton" />;
  return (
    <Suspense>{isNeeded && <SessionEnded address={address ?? '/sign-in'} onClose={() => setNeeded(false)} />}</Suspense>
  );
}

/** Returns whether a query is asked anew once the session is there again. What a form has begun with stays. */
function isMissed({ queryKey: [first], state: { data } }: Query): boolean {
  return first !== FORM || data === undefined;
}
