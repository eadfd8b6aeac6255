import type { TokenError, TokenResponse } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { Problem, type Answer } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { digestOf, isWellFormed, sameDigest } from '../../foundation/storage/index.ts';
import type { AccessDirectory } from '../../catalog/access/index.ts';
import { SCOPE, type Bearers } from './bearer.ts';
import { BEARER_LIFETIME } from './signing-key.ts';

const json = { 'content-type': 'application/json; charset=utf-8' };
const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' };
/** Digest that stands for an unknown key, so that its answer takes as long as one for a wrong secret. */
const NO_SECRET = digestOf('');

export interface TokenEndpoint {
  grant(request: FastifyRequest): Promise<Answer>;
}

/** The client credentials grant (RFC 6749 §4.4): applications authenticate with HTTP Basic. */
export function createTokenEndpoint(platform: Platform, bearers: Bearers, directory: AccessDirectory): TokenEndpoint {
  const issued = new TokensOfSecond(platform.now);
  return {
    async grant(request) {
      if (request.body instanceof Problem) return failure(400, 'invalid_request', request.body.message);
      const form = request.body instanceof URLSearchParams ? request.body : null;
      if (!form) return failure(400, 'invalid_request', 'Send the body as application/x-www-form-urlencoded.');
      const credentials = basicCredentials(request.headers.authorization);
      if (!credentials)
        return unknownClient('Send Authorization: Basic with the Base64 of <Access Key ID>:<Secret Access Key>.');
      const grants = form.getAll('grant_type');
      if (grants.length !== 1) return failure(400, 'invalid_request', 'grant_type must be given once.');
      if (grants[0] !== 'client_credentials') {
        return failure(400, 'unsupported_grant_type', 'Only grant_type=client_credentials is supported.');
      }
      const key = isWellFormed('ket_ak_', credentials.id) ? await directory.accessKey(credentials.id) : null;
      const isRight = sameDigest(digestOf(credentials.secret), key?.secretDigest ?? NO_SECRET);
      if (!key || !isRight || (key.expiresAt !== null && key.expiresAt <= platform.now())) {
        return unknownClient(
          'The access key is unknown, has ended, its secret is wrong, or the owner of its application is switched off.',
        );
      }
      return issued.once(credentials.id, (now) => {
        const access_token = bearers.issue(key.applicationId, credentials.id, now);
        const body: TokenResponse = { access_token, scope: SCOPE, token_type: 'Bearer', expires_in: BEARER_LIFETIME };
        return { status: 200, body: JSON.stringify(body), headers: { ...noStore, ...json } };
      });
    },
  };
}

/**
 * Caches the answer of each access key until the second ends. Signing is most of the cost of a grant, and some
 * applications request a token before every call. `expires_in` stays true: the token names the second of its issue.
 */
class TokensOfSecond {
  readonly #now: () => number;
  readonly #answers = new Map<string, Answer>();
  #second = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  once(accessKeyId: string, issue: (now: number) => Answer): Answer {
    const now = this.#now();
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.#answers.clear();
      this.#second = second;
    }
    const known = this.#answers.get(accessKeyId);
    if (known) return known;
    const answer = issue(now);
    this.#answers.set(accessKeyId, answer);
    return answer;
  }
}

function basicCredentials(header: string | undefined): { id: string; secret: string } | null {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]{1,1024}) *$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon < 0 ? null : { id: text.slice(0, colon), secret: text.slice(colon + 1) };
}

function unknownClient(description: string): Answer {
  const answer = failure(401, 'invalid_client', description);
  return { ...answer, headers: { ...noStore, 'www-authenticate': 'Basic realm="gateway", charset="UTF-8"' } };
}

function failure(status: number, error: TokenError['error'], error_description: string): Answer {
  return { status, body: { error, error_description }, headers: noStore };
}
