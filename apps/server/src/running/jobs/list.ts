import type { ExecutionRecord, OwnedExecution, ProvidedExecution } from '@kethub/contract';
import {
  executionLinks,
  pageOfExecutions,
  pageOfService,
  presentProgress,
  presentStatus,
  readProvidedRecord,
  taskOf,
  type ListedRow,
} from '../executions/index.ts';
import { Problem, type Listing } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { requireService } from '../../catalog/services/index.ts';
import type { Queries } from '../../foundation/storage/index.ts';
import { addressOf, filterOf, type OwnedQuery, type ProvidedQuery } from './filter-query.ts';
import { jobScope } from './scope.ts';

interface Named extends ListedRow {
  /** Undefined when the version has been deleted. */
  readonly of: { readonly version: string; readonly name: string } | undefined;
}

/** Lists the executions of an owner, newest first. Throws invalid-request. */
export function listOwned(platform: Platform, context: Context, query: OwnedQuery): Listing<Named> {
  const { database } = platform;
  const scope = jobScope(platform, context);
  const filter = filterOf(query);
  return {
    address: addressOf(scope.address, query),
    load: async (cursor, limit) =>
      withNames(database.read, await pageOfExecutions(database, scope, filter, cursor, limit)),
    present: (row): OwnedExecution => ({
      ...presentStatus(row),
      ...(row.of && { serviceName: row.of.name, version: row.of.version }),
      applicationId: row.application_id,
      personId: row.person_id,
      ...taskOf(row),
      _links: executionLinks(scope.address, row.id),
    }),
  };
}

/** Lists all executions of a service for its provider, without their owners and inputs. Throws invalid-request. */
export async function listProvided(
  { database, addresses }: Platform,
  context: Context,
  serviceId: string,
  query: ProvidedQuery,
): Promise<Listing<Named>> {
  await requireService(database.read, context, serviceId);
  const filter = filterOf(query);
  return {
    address: addressOf(`${addresses.api}/services/${serviceId}/executions`, query),
    load: async (cursor, limit) =>
      withNames(database.read, await pageOfService(database, serviceId, filter, cursor, limit)),
    present: (row): ProvidedExecution => ({
      ...presentProgress(row),
      ...(row.of && { version: row.of.version }),
    }),
  };
}

/** The record of an execution for the provider of its service. Throws not-found, execution-not-found. */
export async function providedRecord(
  platform: Platform,
  context: Context,
  serviceId: string,
  id: string,
): Promise<ExecutionRecord> {
  await requireService(platform.database.read, context, serviceId);
  const record = await readProvidedRecord(platform, serviceId, id);
  if (!record) throw new Problem('execution-not-found', `The service ${serviceId} has no execution ${id}.`);
  return record;
}

async function withNames(queries: Queries, rows: readonly ListedRow[]): Promise<Named[]> {
  const ids = new Set(rows.map((row) => row.service_version_id));
  const versions = await queries
    .selectFrom('service_versions')
    .innerJoin('services', 'services.id', 'service_versions.service_id')
    .select(['service_versions.id', 'version', 'name'])
    .where('service_versions.id', 'in', [...ids, ''])
    .execute();
  const byId = new Map(versions.map((one) => [one.id, one]));
  return rows.map((row) => ({ ...row, of: byId.get(row.service_version_id) }));
}
