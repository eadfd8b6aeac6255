import type { Caller, Platform, PlatformAccess } from '../platform.ts';
import { endpointsOf, type Endpoint } from './endpoint.ts';
import type { Limits } from './limited-admission.ts';
import { RateLimits } from './rate-limits.ts';

/** Declares an endpoint of the platform interface. */
export const platformEndpoint = endpointsOf<PlatformAccess, Caller>();
export type PlatformEndpoint = Endpoint<PlatformAccess, Caller>;

/** The limits of the platform interface: those of a person, with whatever credential and for whomever they act. */
export const platformLimits = ({ configuration, now }: Platform): Limits<Caller> => ({
  rates: new RateLimits(configuration.rateLimits, now),
  nameOf: ({ person }) => person?.id ?? null,
});
