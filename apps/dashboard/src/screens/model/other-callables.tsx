import { useCallback, useEffect, useState } from 'react';
import { MOST_APPLICATIONS } from '../../modeller/check/subscribed.ts';
import type { CalledBy } from '../../modeller/kit/services.ts';
import { useCallable } from './use-callable.ts';

/** The services of applications that single tasks name, and the elements that read them. */
export function useOtherCallables() {
  const [ids, setIds] = useState<readonly string[]>([]);
  const [known, setKnown] = useState<ReadonlyMap<string, CalledBy>>(new Map());
  const take = useCallback((id: string, by: CalledBy) => setKnown((last) => new Map(last).set(id, by)), []);
  const reading = ids.slice(0, MOST_APPLICATIONS).map((id) => <Reader key={id} applicationId={id} onKnown={take} />);
  return { known, reading, setIds };
}

function Reader({
  applicationId,
  onKnown,
}: {
  readonly applicationId: string;
  readonly onKnown: (applicationId: string, by: CalledBy) => void;
}) {
  const callable = useCallable(applicationId);
  useEffect(() => onKnown(applicationId, callable), [applicationId, callable, onKnown]);
  return null;
}
