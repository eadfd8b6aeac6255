import { Button, Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSession } from '../data/context.tsx';
import { signInAddress } from '../session/authorize.ts';

/**
 * Asks to sign in. With `isFirst` nothing is on the page yet, so the page itself goes to the provider; else the sign-in is
 * in another tab and everything that was typed here stays.
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
    if (isFirst)
      void signInAddress(location.origin, location.pathname + location.search).then((to) => location.replace(to));
    else if (isNeeded) void signInAddress(location.origin, '/me').then(setAddress);
  }, [isFirst, isNeeded]);
  // Back from the other tab: the session is there again, and what failed is asked for anew.
  useEffect(() => {
    if (!isNeeded || isFirst) return undefined;
    const look = (): void =>
      void session.token().then(
        () => client.invalidateQueries(),
        () => undefined,
      );
    addEventListener('focus', look);
    return () => removeEventListener('focus', look);
  }, [isNeeded, isFirst, session, client]);
  if (isFirst) return <div className="skeleton" />;
  return (
    <Modal
      opened={isNeeded}
      onClose={() => setNeeded(false)}
      title="Your session has ended"
      lockScroll={false}
      closeOnClickOutside={false}
    >
      <div className="stack">
        <p style={{ margin: 0 }}>Sign in again in another tab, then come back here. What you have typed stays.</p>
        <Button component="a" href={address ?? '/sign-in'} target="_blank" rel="noopener">
          Sign in again
        </Button>
      </div>
    </Modal>
  );
}
