import type { ExecutionScope } from '../executions/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';

/** The executions of an owner: jobs of its people and executions of its applications. */
export function jobScope({ addresses }: Platform, { type, id }: Context): ExecutionScope {
  return { of: { by: 'OWNER', type, id }, address: `${addresses.api}/service-executions` };
}
