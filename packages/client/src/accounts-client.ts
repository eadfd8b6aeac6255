import type {
  AccessTokenDto,
  AccessTokensDto,
  ApprovalStatus,
  ChangeRegistrationRequest,
  Layer,
  Registration,
  SigningKeyRenewal,
  UserDto,
  UserSearchDto,
} from '@kethub/contract';
import { path, query, sendForJson, sendForNothing, type CallOptions, type Connection } from './connection.ts';

export interface RegistrationsQuery {
  readonly status?: ApprovalStatus | undefined;
  readonly email?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export function accountsAt(connection: Connection) {
  return {
    me: (options?: CallOptions) => sendForJson<UserDto>(connection, { path: '/me', ...options }),
    /** People by a part of their name, best match first. */
    searchUsers: (text: string, options?: CallOptions) =>
      sendForJson<UserSearchDto[]>(connection, { path: `/search${query({ q: text })}`, ...options }),
    /** Needs a login session. */
    accessTokens: (options?: CallOptions) =>
      sendForJson<AccessTokensDto>(connection, { path: '/me/access-tokens', ...options }),
    /** The answer carries the raw token, once. Needs a login session. */
    createAccessToken: (token: { name: string; expiresAt?: string | null }, options?: CallOptions) =>
      sendForJson<AccessTokenDto>(connection, { method: 'POST', path: '/me/access-tokens', json: token, ...options }),
    /** Needs a login session. */
    deleteAccessToken: (id: string, options?: CallOptions) =>
      sendForNothing(connection, { method: 'DELETE', path: path`/me/access-tokens/${id}`, ...options }),
  };
}

/** For administrators. */
export function registrationsAt(connection: Connection) {
  return {
    registrations: (asked: RegistrationsQuery, options?: CallOptions) =>
      sendForJson<Registration[]>(connection, { path: `/registrations${query(asked)}`, ...options }),
    registration: (id: string, options?: CallOptions) =>
      sendForJson<Registration>(connection, { path: path`/registrations/${id}`, ...options }),
    renewSigningKeys: (options?: CallOptions) =>
      sendForJson<SigningKeyRenewal[]>(connection, { method: 'POST', path: '/signing-keys/renewal', ...options }),
    layers: (options?: CallOptions) => sendForJson<Layer[]>(connection, { path: '/layers', ...options }),
    /** Each worker that has it does so within a minute. */
    purgeLayer: (id: string, options?: CallOptions) =>
      sendForJson<Layer[]>(connection, { method: 'DELETE', path: path`/layers/${id}`, ...options }),
    rebuildLayer: (id: string, options?: CallOptions) =>
      sendForJson<Layer[]>(connection, { method: 'POST', path: path`/layers/${id}/rebuild`, ...options }),
    changeRegistration: (id: string, change: ChangeRegistrationRequest, options?: CallOptions) =>
      sendForJson<Registration>(connection, {
        method: 'PATCH',
        path: path`/registrations/${id}`,
        json: change,
        ...options,
      }),
  };
}
