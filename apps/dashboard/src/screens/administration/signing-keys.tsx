import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useActing } from '../../data/context.tsx';
import { Confirm } from '../../shell/confirm.tsx';

const USES = { BEARER_TOKENS: 'Tokens of applications', LOGIN_SESSIONS: 'Sign-ins of people' } as const;

/** Renews the keys with which the platform signs tokens. */
export function SigningKeys() {
  const { platform } = useActing();
  const [isAsking, setAsking] = useState(false);
  const renew = useMutation({
    mutationFn: () => platform.renewSigningKeys(),
    onSuccess: () => setAsking(false),
  });
  return (
    <section className="panel stack" aria-labelledby="keys">
      <h2 id="keys">Signing keys</h2>
      <p className="quiet" style={{ margin: 0 }}>
        The platform renews them by itself from time to time. Renew them now if one may be in wrong hands.
      </p>
      {renew.data && (
        <ul style={{ margin: 0 }} role="status">
          {renew.data.map(({ use, signsAt }) => (
            <li key={use}>
              {USES[use]}: the new key signs from {signsAt} UTC on.
            </li>
          ))}
        </ul>
      )}
      <div>
        <Button variant="default" onClick={() => setAsking(true)}>
          Renew the keys
        </Button>
      </div>
      {isAsking && (
        <Confirm title="Renew the signing keys?" action="Renew" request={renew} onClose={() => setAsking(false)}>
          New keys are published first and sign later. Tokens that were signed before stay good until they end.
        </Confirm>
      )}
    </section>
  );
}
