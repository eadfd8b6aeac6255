import { useRef } from 'react';

/**
 * The version that a run page is about. It stays while the page is open, unless the address names another one. A
 * version that somebody adds, or builds anew, must not replace an input that is half typed.
 *
 * @param asked The version in the address; null where there is none.
 * @param first The version to begin with; undefined while it is not known.
 */
export function useChosen(serviceId: string, asked: string | null, first: string | undefined): string | undefined {
  const begun = useRef({ serviceId, asked, version: first });
  const { current } = begun;
  // A start writes the version into the address, also where the page began without one there.
  const isSame = current.serviceId === serviceId && (current.asked === asked || current.version === asked);
  if (!isSame || current.version === undefined) begun.current = { serviceId, asked, version: first };
  return begun.current.version;
}
