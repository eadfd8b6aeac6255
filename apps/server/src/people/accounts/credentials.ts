import type { FastifyRequest } from 'fastify';
import { Problem } from '../../foundation/http/index.ts';

/** The credential of a request. */
export type Credential =
  | { readonly type: 'LOGIN_SESSION'; readonly token: string }
  | { readonly type: 'ACCESS_TOKEN'; readonly token: string };

const ACCESS_TOKEN_FORM = /^ket_pat_/;

/**
 * Reads the credential: `Authorization: Bearer` with a login session, or `X-Auth-Token` with a personal access token.
 * A personal access token after Bearer is accepted as well, because many tools can send nothing else. Other schemes of
 * Authorization belong to proxies and are ignored. Both headers at once are refused (RFC 6750 §2): they may belong to
 * different people.
 */
export function credentialOf(request: FastifyRequest): Credential | null {
  const bearer = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1];
  const header = request.headers['x-auth-token'];
  if (header !== undefined) {
    if (bearer !== undefined) throw notAuthenticated('Send either Authorization or X-Auth-Token, not both.');
    return { type: 'ACCESS_TOKEN', token: String(header) };
  }
  if (bearer === undefined) return null;
  return { type: ACCESS_TOKEN_FORM.test(bearer) ? 'ACCESS_TOKEN' : 'LOGIN_SESSION', token: bearer };
}

/** The problem 401 with the challenge that RFC 6750 §3 requires. */
export function notAuthenticated(detail: string, error?: 'invalid_token'): Problem {
  const challenge = `Bearer realm="Kethub"${error ? `, error="${error}"` : ''}`;
  return new Problem('not-authenticated', detail, { headers: { 'www-authenticate': challenge } });
}
