import { createHmac, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sameDigest } from '../../../foundation/storage/index.ts';

const COOKIE = 'kethub_form';
const VALUE = /^[\w-]{32}$/;

/** Name of the hidden field. */
export const CSRF_FIELD = 'form';

/**
 * Lets only pages of ours send a form: a random value in a cookie that no script reads, and in the form what only we can
 * make of it. So another page cannot have mails sent or people registered through the browsers of its visitors.
 */
export class CsrfProtection {
  readonly #key: string;
  readonly #attributes: string;

  /** `issuer`: the forms are below its path. */
  constructor(key: string, issuer: URL) {
    this.#key = key;
    const secure = issuer.protocol === 'https:' ? '; Secure' : '';
    this.#attributes = `; Path=${issuer.pathname}; HttpOnly; SameSite=Lax${secure}`;
  }

  /** The value of the hidden field, for this browser. */
  tokenFor(request: FastifyRequest, reply: FastifyReply): string {
    const known = cookieOf(request);
    if (known !== null) return this.#tokenOf(known);
    const value = randomBytes(24).toString('base64url');
    reply.header('set-cookie', `${COOKIE}=${value}${this.#attributes}`);
    return this.#tokenOf(value);
  }

  /** Whether this browser got the form from us. */
  isOurs(request: FastifyRequest, form: URLSearchParams): boolean {
    // Every browser of today says where a form stands; this also stops a neighbour who can plant cookies.
    const site = request.headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin') return false;
    const cookie = cookieOf(request);
    return cookie !== null && sameDigest(this.#tokenOf(cookie), form.get(CSRF_FIELD) ?? '');
  }

  #tokenOf(value: string): string {
    return createHmac('sha256', this.#key).update(`form ${value}`).digest('base64url');
  }
}

function cookieOf(request: FastifyRequest): string | null {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [name, value = ''] = pair.trim().split('=');
    if (name === COOKIE && VALUE.test(value)) return value;
  }
  return null;
}
