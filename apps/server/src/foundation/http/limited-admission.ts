import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Lookup, OwnLimit, RateLimits, Spender } from './rate-limits.ts';

/** The limits of an interface, and who its callers are to them. */
export interface Limits<C> {
  readonly rates: RateLimits;
  /** Names the person or application of an admitted caller, the same for all their credentials; null for anyone. */
  readonly nameOf: (caller: C) => string | null;
  /** The limit of this caller alone, or null; left out where nobody can have one. */
  readonly ownOf?: (caller: C) => OwnLimit | null;
}

export type Admission<C> = (request: FastifyRequest, reply: FastifyReply) => Promise<C> | C;

/** The admission of one endpoint, after which the request is counted. Costs nothing where no limit applies. */
export function limitedAdmission<C>(
  admit: (request: FastifyRequest) => Promise<C> | C,
  limits: Limits<C> | undefined,
  lookup: Lookup | undefined,
): Admission<C> {
  if (lookup && !limits) throw new Error('An endpoint on which people are looked up is mounted without limits');
  if (!limits) return admit;
  const always = limits.rates.applyTo(lookup);
  const { ownOf } = limits;
  if (!always && !ownOf) return admit;
  const count = (caller: C, request: FastifyRequest, reply: FastifyReply): C => {
    if (!always && !ownOf?.(caller)) return caller;
    reply.headers(limits.rates.request(spenderOf(limits, caller, request), lookup?.cost ?? 0));
    return caller;
  };
  return (request, reply) => {
    const admitted = admit(request);
    return admitted instanceof Promise
      ? admitted.then((caller) => count(caller, request, reply))
      : count(admitted, request, reply);
  };
}

/** Counts what the body, now that it is read, asks for beyond the cost that was counted at the door. */
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
