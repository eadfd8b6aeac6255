import type { KethubError } from '@kethub/client';
import { Button } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { platformFor } from '../data/client.ts';
import { useSession } from '../data/context.tsx';
import { Ket } from '../look/parts.tsx';
import { useTitle } from '../shell/keys.ts';
import { Problem } from '../shell/problem.tsx';

/** Shown to a person who is signed in and may not use the platform yet, or not any more. */
export function Waiting({ error }: { readonly error: KethubError }) {
  useTitle('Waiting');
  const session = useSession();
  const isBeingDeleted = error.code === 'account-being-deleted';
  const [platform] = useState(() => platformFor(session, null));
  const registration = useQuery({
    queryKey: ['registration'],
    queryFn: async ({ signal }) => (await platform.getSession({ signal })).registration,
    enabled: error.code === 'not-approved',
    retry: false,
  });
  const finish = useMutation({
    mutationFn: () => platform.deleteMe(),
    onSuccess: () => session.signOut(),
  });
  // The registration of an approved account that is switched off says nothing about that.
  const message = registration.data?.status === 'APPROVED' ? null : registration.data?.message;
  const { title, detail } = isBeingDeleted
    ? {
        title: 'Your account is being deleted',
        detail: 'The deletion has begun and has not come to its end. Nothing else can be done with the account.',
      }
    : wordsFor(error);
  return (
    <main className="landing stack">
      <h1>
        <Ket>Kethub</Ket>
      </h1>
      <div className="panel stack">
        <h2>{title}</h2>
        <p style={{ margin: 0 }}>{message ?? detail}</p>
        {finish.error && <Problem error={finish.error} />}
        <div className="row">
          {isBeingDeleted ? (
            <Button color="red" loading={finish.isPending} onClick={() => finish.mutate()}>
              Finish the deletion
            </Button>
          ) : (
            <Button onClick={() => location.reload()}>Look again</Button>
          )}
          <Button variant="default" onClick={() => session.signOut()}>
            Sign out
          </Button>
        </div>
      </div>
    </main>
  );
}

function wordsFor(error: KethubError): { readonly title: string; readonly detail: string } {
  if (error.code !== 'not-approved') return error;
  if (error.detail.includes('switched off'))
    return {
      title: 'Your account is switched off',
      detail: 'An administrator has switched it off. What you own is still there. Ask an administrator why.',
    };
  return {
    title: 'An administrator has to approve your account',
    detail:
      'You have registered, and nobody has approved it yet, or it was not approved. You get a mail when that changes. Nothing else has to be done.',
  };
}
