import type { ExecutionScope } from '../executions/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';

/** What was started for the caller, or for the organization: by its people as jobs, and by its applications. */
export function jobScope({ addresses }: Platform, { type, id }: Context): ExecutionScope {
  return { of: { by: 'OWNER', type, id }, address: `${addresses.api}/service-executions` };
}
