import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useActing, useSession } from '../../data/context.tsx';
import { Confirm } from '../../shell/confirm.tsx';

/** Ends the sessions of all browsers and programs that have signed in as this person. */
export function SignOutEverywhere() {
  const { platform } = useActing();
  const session = useSession();
  const [isAsking, setAsking] = useState(false);
  const end = useMutation({
    mutationFn: () => platform.endSessions(),
    onSuccess: () => session.leave(),
  });
  return (
    <section className="panel stack" aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      <p style={{ margin: 0 }}>
        You are signed in with this browser, and perhaps with others. If somebody else may use one of them, end them
        all.
      </p>
      <div>
        <Button variant="default" onClick={() => setAsking(true)}>
          Sign out everywhere
        </Button>
      </div>
      {isAsking && (
        <Confirm
          title="Sign out everywhere?"
          action="Sign out everywhere"
          request={end}
          onClose={() => setAsking(false)}
        >
          Every browser has to sign in again, this one as well. Access tokens and access keys go on working; delete
          those that somebody else may know.
        </Confirm>
      )}
    </section>
  );
}
