import { endOfDay } from '@kethub/contract';
import type { Platform } from '../../foundation/platform.ts';
import {
  createLookUp,
  digestOf,
  isWellFormed,
  sameDigest,
  type AccessTokenRow,
} from '../../foundation/storage/index.ts';
import type { LastUses } from './last-uses.ts';

interface VerifiedAccessToken {
  readonly userId: string;
  readonly token: AccessTokenRow;
}

export type VerifyPersonalAccessToken = (rawToken: string) => Promise<VerifiedAccessToken | null>;

/**
 * Verifies personal access tokens against the database at each use, so that deletion and rotation take effect at
 * once. The look-up is by digest, so its time reveals nothing about the token. The found digest is compared again in
 * constant time, independently of the database's comparison of texts.
 */
export function createTokenVerifier(platform: Platform, lastUses: LastUses): VerifyPersonalAccessToken {
  const findByDigest = createLookUp<AccessTokenRow>(platform.database, 'access_tokens', 'digest');
  return async (rawToken) => {
    if (!isWellFormed('ket_pat_', rawToken)) return null;
    const digest = digestOf(rawToken);
    const token = await findByDigest(digest);
    if (!token || !sameDigest(token.digest, digest) || hasExpired(token, platform.now())) return null;
    lastUses.touch(token.id);
    return { userId: token.user_id, token };
  };
}

function hasExpired({ expires_on }: AccessTokenRow, now: number): boolean {
  // A token with an invalid date, which only a damaged database contains, is refused.
  return expires_on !== null && now > (endOfDay(expires_on) ?? Number.NEGATIVE_INFINITY);
}
