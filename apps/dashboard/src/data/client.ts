import { createPlatformClient, type PlatformClient } from '@kethub/client';
import type { Session } from '../session/session.ts';

export type Platform = PlatformClient;

/** The platform interface for somebody who has not signed in. */
export function platformForVisitor(): Platform {
  const fetchIt: typeof fetch = (input, init) => fetch(input, { ...init, cache: 'no-store' });
  return createPlatformClient({ baseUrl: `${location.origin}/api`, credential: null, fetch: fetchIt });
}

/** The platform interface in one context: personally, or for an organization. A token that is refused is renewed once. */
export function platformFor(session: Session, organizationId: string | null, fetchIt: typeof fetch = fetch): Platform {
  return createPlatformClient({
    baseUrl: `${location.origin}/api`,
    credential: { renewedSession: (refused) => session.token(refused) },
    ...(organizationId !== null && { organizationId }),
    // The query client is the cache; beside it the browser's own would answer with what is old.
    fetch: (input, init) => fetchIt(input, { ...init, cache: 'no-store' }),
  });
}
