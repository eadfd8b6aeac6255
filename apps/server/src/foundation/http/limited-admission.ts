import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Lookup, OwnLimit, RateLimits, Spender } from './rate-limits.ts';

/** Rate limits of an interface, and the keys of its callers. */
export interface Limits<C> {
  readonly rates: RateLimits;
  /** Id of the person or application, the same for all of its credentials; null for an anonymous caller. */
  readonly nameOf: (caller: C) => string | null;
  /** An individual limit of this caller, or null; absent where no caller has one. */
  readonly ownOf?: (caller: C) => OwnLimit | null;
}

export type Admission<C> = (request: FastifyRequest, reply: FastifyReply) => Promise<C>;

/** Wraps the admission of an endpoint: each admitted request is counted against its limits. */
export function limitedAdmission<C>(
  admit: (request: FastifyRequest) => Promise<C>,
  limits: Limits<C> | undefined,
  lookup: Lookup | undefined,
  visitors = false,
): Admission<C> {
  if (!limits) {
    if (lookup || visitors) throw new Error('An endpoint whose calls are limited is mounted without limits');
    return admit;
  }
  const applies = limits.rates.applyTo(lookup);
  return async (request, reply) => {
    const caller = await admit(request);
    if (visitors && limits.nameOf(caller) === null) reply.headers(limits.rates.visit(request.ip));
    else if (applies || limits.ownOf?.(caller))
      reply.headers(limits.rates.request(spenderOf(limits, caller, request), lookup?.cost ?? 0));
    return caller;
  };
}

/** Counts the lookups in a body beyond the cost that was counted on admission. */
export function countBody<C>(
  limits: Limits<C> | undefined,
  lookup: Lookup | undefined,
  caller: C,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  if (!limits || !lookup?.costOfBody) return;
  reply.headers(
    limits.rates.lookups(spenderOf(limits, caller, request), lookup.costOfBody(request.body) - lookup.cost),
  );
}

function spenderOf<C>(limits: Limits<C>, caller: C, request: FastifyRequest): Spender {
  return { caller: limits.nameOf(caller), address: request.ip, own: limits.ownOf?.(caller) ?? null };
}
