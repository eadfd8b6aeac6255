import type { ApplicationTables } from './schema/applications.ts';
import type { ExecutionTables } from './schema/executions.ts';
import type { ImplementationTables } from './schema/implementations.ts';
import type { OrganizationTables } from './schema/organizations.ts';
import type { PeopleTables } from './schema/people.ts';
import type { PlatformTables } from './schema/platform.ts';
import type { ServiceTables } from './schema/services.ts';
import type { WorkflowTables } from './schema/workflows.ts';

export type { BuildProblem } from '@kethub/contract';
export type * from './schema/applications.ts';
export type * from './schema/executions.ts';
export type * from './schema/implementations.ts';
export type * from './schema/organizations.ts';
export type * from './schema/owner.ts';
export type * from './schema/people.ts';
export type * from './schema/platform.ts';
export type * from './schema/services.ts';
export type * from './schema/workflows.ts';

/**
 * The tables. Portable rules: ids and enums are text, times are epoch milliseconds (bigint), JSON is text,
 * booleans are 0 or 1. Sealed columns hold AES-256-GCM under the instance key.
 */
export interface Tables
  extends
    PeopleTables,
    ServiceTables,
    ApplicationTables,
    ExecutionTables,
    OrganizationTables,
    ImplementationTables,
    WorkflowTables,
    PlatformTables {}
