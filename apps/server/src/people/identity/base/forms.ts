import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptBodies, readForm } from '../../../foundation/http/index.ts';
import type { Page } from './pages.ts';

/** Bytes of a form; a larger one is refused with 413. */
const FORM_BYTES = 16 * 1024;

/** Makes the routes of a scope accept forms, and no other bodies. */
export function acceptForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  acceptBodies(scope, { media: 'application/x-www-form-urlencoded', bytes: FORM_BYTES, parse: readForm });
}

/** The form in a request; empty if there is none. */
export function formIn(request: FastifyRequest): URLSearchParams {
  return request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
}

export function send(reply: FastifyReply, status: number, { html, headers }: Page): FastifyReply {
  return reply.status(status).headers(headers).send(html);
}
