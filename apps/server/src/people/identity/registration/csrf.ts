import { createHmac, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sameDigest } from '../../../foundation/storage/index.ts';

const COOKIE = 'kethub_form';
const VALUE = /^[\w-]{32}$/;

/** Name of the hidden field with the CSRF token. */
export const CSRF_FIELD = 'form';

/**
 * Protects forms against CSRF by a signed double submit: a cookie contains a random value, and the form its HMAC. So
 * another site cannot send mails or register people through the browsers of its visitors.
 */
export class CsrfProtection {
  readonly #key: string;
  readonly #attributes: string;

  /** The forms are below the path of `issuer`. */
  constructor(key: string, issuer: URL) {
    this.#key = key;
    const secure = issuer.protocol === 'https:' ? '; Secure' : '';
    this.#attributes = `; Path=${issuer.pathname}; HttpOnly; SameSite=Lax${secure}`;
  }

  /** The CSRF token for this browser. Sets the cookie if the browser has none. */
  tokenFor(request: FastifyRequest, reply: FastifyReply): string {
    const known = cookieOf(request);
    if (known !== null) return this.#tokenOf(known);
    const value = randomBytes(24).toString('base64url');
    reply.header('set-cookie', `${COOKIE}=${value}${this.#attributes}`);
    return this.#tokenOf(value);
  }

  /** Returns whether the platform gave this form to this browser. */
  isOurs(request: FastifyRequest, form: URLSearchParams): boolean {
    // Current browsers send the site of the form. This check also stops a sibling host that can set cookies.
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
