import type { PlatformClient } from '@kethub/client';
import type { TransferRequest } from '@kethub/contract';
import { joined } from './organizations.ts';

/** The new owner of a resource: `me` for the user, else an organization that the user has joined (a name or an id). */
export async function newOwner(platform: PlatformClient, wanted: string): Promise<TransferRequest> {
  if (wanted === 'me') return { type: 'USER', id: (await platform.getMe()).id };
  return { type: 'ORGANIZATION', id: (await joined(platform, wanted)).id };
}
