import type { KethubError } from '@kethub/client';
import { Button } from '@mantine/core';
import { useSession } from '../data/context.tsx';
import { Ket } from '../look/parts.tsx';

/** Shown to a person who is signed in and may not use the platform yet, or not any more. */
export function Waiting({ error }: { readonly error: KethubError }) {
  const session = useSession();
  return (
    <main className="landing stack">
      <h1>
        <Ket>Kethub</Ket>
      </h1>
      <div className="panel stack">
        <h2>{error.title}</h2>
        <p style={{ margin: 0 }}>{error.detail}</p>
        <div className="row">
          <Button onClick={() => location.reload()}>Look again</Button>
          <Button variant="default" onClick={() => session.signOut()}>
            Sign out
          </Button>
        </div>
      </div>
    </main>
  );
}
