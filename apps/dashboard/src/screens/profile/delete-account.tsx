import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useActing, useSession } from '../../data/context.tsx';
import { Confirm } from '../../shell/confirm.tsx';

/** Deletes the account. The platform says what stands in the way, and nothing is deleted then. */
export function DeleteAccount({ username }: { readonly username: string }) {
  const { platform } = useActing();
  const session = useSession();
  const [isAsking, setAsking] = useState(false);
  const remove = useMutation({ mutationFn: () => platform.deleteMe(), onSuccess: () => session.signOut() });
  return (
    <div>
      <Button variant="default" onClick={() => setAsking(true)} style={{ color: 'var(--failed)' }}>
        Delete the account
      </Button>
      {isAsking && (
        <Confirm
          title="Delete your account?"
          action="Delete the account"
          name={username}
          request={remove}
          onClose={() => setAsking(false)}
        >
          Your profile, tokens, executions and results go with it, and nothing brings them back. Services, applications,
          data pools and organizations that nobody else owns have to be deleted or given away first.
        </Confirm>
      )}
    </div>
  );
}
