import { endOfDay } from '@kethub/contract';
import type { Platform } from '../platform.ts';
import { digestOf, isWellFormed, type AccessTokenRow } from '../storage/index.ts';
import type { LastUses } from './last-uses.ts';
import { findTokenByDigest } from './queries.ts';

export interface VerifiedAccessToken {
  readonly userId: string;
  readonly token: AccessTokenRow;
}

export type VerifyPersonalAccessToken = (rawToken: string) => Promise<VerifiedAccessToken | null>;

/**
 * Verifies personal access tokens against the database, each time, so that deletion and rotation take effect at once.
 * The look-up is by digest: no comparison runs over the token itself, so its time says nothing about it.
 */
export function createTokenVerifier(platform: Platform, lastUses: LastUses): VerifyPersonalAccessToken {
  return async (rawToken) => {
    if (!isWellFormed('ket_pat_', rawToken)) return null;
    const token = await findTokenByDigest(platform.database.read, digestOf(rawToken));
    if (!token || hasExpired(token, platform.now())) return null;
    lastUses.touch(token.id);
    return { userId: token.user_id, token };
  };
}

function hasExpired({ expires_on }: AccessTokenRow, now: number): boolean {
  // A date that is none can only come from a damaged database: such a token opens nothing.
  return expires_on !== null && now > (endOfDay(expires_on) ?? Number.NEGATIVE_INFINITY);
}
