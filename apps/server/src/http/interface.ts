import type { Caller, PlatformAccess } from '../platform.ts';
import { endpointsOf, type Endpoint } from './endpoint.ts';

/** Declares an endpoint of the platform interface. */
export const platformEndpoint = endpointsOf<PlatformAccess, Caller>();
export type PlatformEndpoint = Endpoint<PlatformAccess, Caller>;
