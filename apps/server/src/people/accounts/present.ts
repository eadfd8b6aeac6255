import {
  toTimestamp,
  type AccessTokenDto,
  type AccessTokenMetadataDto,
  type AccessTokenScope,
  type UserDto,
  type UserOverviewDto,
} from '@kethub/contract';
import { scopeOf } from './token-scope.ts';
import type { Identity } from '../identity/index.ts';
import type { AccessTokenRow, UserRow } from '../../foundation/storage/index.ts';

export function userDto(user: UserRow): UserDto {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    firstname: user.firstname,
    lastname: user.lastname,
    currentPosition: user.current_position,
    homepage: user.homepage,
    about: user.about,
  };
}

export function tokenMetadata(token: AccessTokenRow): AccessTokenMetadataDto {
  return {
    id: token.id,
    name: token.name,
    createdAt: toTimestamp(token.created_at),
    usedAt: token.used_at === null ? null : toTimestamp(token.used_at),
    expiresAt: token.expires_on,
    ...scopeMember(token),
  };
}

function scopeMember(token: AccessTokenRow): { scope?: AccessTokenScope } {
  const scope = scopeOf(token);
  return scope === null ? {} : { scope };
}

/** Presents a token. `value` is the raw token, which is known only while it is created. */
export function accessTokenDto(token: AccessTokenRow, value: string | null): AccessTokenDto {
  return { ...tokenMetadata(token), value };
}

/** The fields of a user that everybody may see. */
export function userOverview({ id, firstname, lastname }: Identity): UserOverviewDto {
  return { id, firstname, lastname };
}
