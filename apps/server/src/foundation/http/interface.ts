import type { Caller, Platform, PlatformAccess } from '../platform.ts';
import { endpointsOf, type Endpoint } from './endpoint.ts';
import type { Limits } from './limited-admission.ts';
import { RateLimits } from './rate-limits.ts';

/** Declares an endpoint of the platform interface. */
export const platformEndpoint = endpointsOf<PlatformAccess, Caller>();
export type PlatformEndpoint = Endpoint<PlatformAccess, Caller>;

/** Limits of the platform interface, per person: all credentials and organizations of a person share them. */
export const platformLimits = ({ configuration, now }: Platform): Limits<Caller> => ({
  rates: new RateLimits(configuration.rateLimits, now),
  nameOf: ({ person }) => person?.id ?? null,
});
