import { Button } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useSession } from '../data/context.tsx';
import { Ket } from '../look/parts.tsx';
import { useTitle } from '../shell/keys.ts';

/** The first page: goes on to the first screen when the browser has a session, else asks to sign in. */
export function Landing() {
  useTitle('Services you can call');
  const session = useSession();
  const navigate = useNavigate();
  const [isKnown, setKnown] = useState(false);
  useEffect(() => {
    session.token().then(
      () => navigate({ to: '/me', replace: true }),
      () => setKnown(true),
    );
  }, [session, navigate]);
  if (!isKnown) return <div className="skeleton" />;
  return (
    <main className="landing stack">
      <h1 style={{ fontSize: '2rem' }}>
        <Ket>Kethub</Ket>
      </h1>
      <p style={{ margin: 0, fontSize: '1rem' }}>
        Publish scientific and quantum code as services, and call them over HTTP: from this page, a shell, or a program
        in any language.
      </p>
      <p style={{ margin: 0 }}>
        <Link to="/implementations">Public implementations</Link>
      </p>
      <div className="row">
        <SignInButton returnTo="/me" />
        {session.signIn.register !== null && (
          <Button component="a" href={session.signIn.register} variant="default">
            Register
          </Button>
        )}
      </div>
    </main>
  );
}

/** Page to which the provider sends the browser after a sign-in. Its answer only says whether there is a session now. */
export function Callback() {
  useTitle('Sign-in');
  const session = useSession();
  const navigate = useNavigate();
  // The code of a sign-in is redeemed once, also where React renders twice.
  const [finished] = useState(() => session.finishSignIn(new URLSearchParams(location.search)));
  const [failed, setFailed] = useState<string | null>(null);
  useEffect(() => {
    void finished.then(({ isSignedIn, returnTo }) =>
      isSignedIn ? navigate({ href: returnTo, replace: true }) : setFailed(returnTo),
    );
  }, [finished, navigate]);
  if (failed === null) return <div className="skeleton" />;
  return (
    <main className="landing stack">
      <h1>Not signed in</h1>
      <p style={{ margin: 0 }}>The sign-in was cancelled or has ended. Nothing has changed.</p>
      <div className="row">
        <SignInButton returnTo={failed} />
      </div>
    </main>
  );
}

export function SignInButton({ returnTo }: { readonly returnTo: string }) {
  const session = useSession();
  const start = (): void => void session.signIn.address(returnTo).then((to) => location.assign(to));
  return <Button onClick={start}>Sign in</Button>;
}
