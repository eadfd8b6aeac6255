import { Button } from '@mantine/core';
import { useState } from 'react';
import { useMay } from '../../data/context.tsx';
import { Retire, WithdrawRetirement } from './retire.tsx';

/** Announces, moves or withdraws the retirement of a published version. */
export function RetirementButtons({
  version,
  sunset,
}: {
  readonly version: string;
  readonly sunset: string | undefined;
}) {
  const mayRetire = useMay('service:retire');
  const [asked, setAsked] = useState<'retire' | 'withdraw' | null>(null);
  if (!mayRetire) return null;
  const close = (): void => setAsked(null);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsked('retire')}>
        {sunset === undefined ? 'Retire' : 'Change the retirement'}
      </Button>
      {sunset !== undefined && (
        <Button size="xs" variant="default" onClick={() => setAsked('withdraw')}>
          Withdraw the retirement
        </Button>
      )}
      {asked === 'retire' && <Retire version={version} onClose={close} />}
      {asked === 'withdraw' && <WithdrawRetirement version={version} onClose={close} />}
    </>
  );
}
