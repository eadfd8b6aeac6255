import type { KethubError } from '@kethub/client';
import type { Session } from '@kethub/contract';
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { platformFor } from '../data/client.ts';
import { useSession } from '../data/context.tsx';
import { Ket } from '../look/parts.tsx';
import { useTitle } from '../shell/keys.ts';
import { Problem } from '../shell/problem.tsx';

/** Shown to a person who is signed in and may not use the platform yet, or not any more. */
export function Waiting({
  error,
  registration,
}: {
  readonly error?: KethubError;
  readonly registration?: Session['registration'];
}) {
  useTitle('Waiting');
  const session = useSession();
  const queries = useQueryClient();
  const isBeingDeleted = error?.code === 'account-being-deleted';
  const [platform] = useState(() => platformFor(session, null));
  const finish = useMutation({
    mutationFn: () => platform.deleteMe(),
    onSuccess: () => session.leave(),
  });
  const look = useMutation({ mutationFn: () => queries.refetchQueries({ queryKey: ['session'] }) });
  const { title, detail } = isBeingDeleted ? BEING_DELETED : registration ? wordsOf(registration) : wordsFor(error);
  return (
    <main className="landing stack">
      <h1>
        <Ket>Kethub</Ket>
      </h1>
      <div className="panel stack">
        <h2>{title}</h2>
        <p style={{ margin: 0 }}>{detail}</p>
        {finish.error && <Problem error={finish.error} />}
        <div className="row">
          {isBeingDeleted ? (
            <Button color="red" loading={finish.isPending} onClick={() => finish.mutate()}>
              Finish the deletion
            </Button>
          ) : (
            <Button loading={look.isPending} onClick={() => look.mutate()}>
              Look again
            </Button>
          )}
          <Button variant="default" onClick={() => session.signOut()}>
            Sign out
          </Button>
        </div>
      </div>
    </main>
  );
}

interface Words {
  readonly title: string;
  readonly detail: string;
}

const BEING_DELETED: Words = {
  title: 'Your account is being deleted',
  detail: 'The deletion has begun and has not come to its end. Nothing else can be done with the account.',
};
const SWITCHED_OFF: Words = {
  title: 'Your account is switched off',
  detail: 'An administrator has switched it off. What you own is still there. Ask an administrator why.',
};
const PENDING: Words = {
  title: 'An administrator has to approve your account',
  detail:
    'You have registered, and nobody has approved it yet. You get a mail when that changes. Nothing else has to be done.',
};
const REJECTED: Words = {
  title: 'Your registration was rejected',
  detail: 'An administrator has decided so. Ask an administrator why; the decision can be changed.',
};

function wordsOf({ status, message }: Session['registration']): Words {
  switch (status) {
    case 'EMAIL_NOT_VERIFIED':
      return {
        title: 'Confirm your e-mail address',
        detail: 'Open the link in the mail that was sent to you. Then an administrator can approve your account.',
      };
    case 'REJECTED':
      return message?.includes('switched off') === true ? SWITCHED_OFF : REJECTED;
    default:
      return PENDING;
  }
}

function wordsFor(error: KethubError | undefined): Words {
  if (error && error.code !== 'not-approved') return error;
  return error?.detail.includes('switched off') === true ? SWITCHED_OFF : PENDING;
}
