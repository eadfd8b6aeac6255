import type { Context } from '../platform.ts';
import type { Database, Queries, ServiceRow } from '../storage/index.ts';

/** The SQL of services, versions and builds. Everything is asked together with its owner. */

export function listServices(database: Database, owner: Context) {
  return database.read
    .selectFrom('services')
    .selectAll()
    .where('owner_type', '=', owner.type)
    .where('owner_id', '=', owner.id)
    .orderBy('id', 'desc')
    .execute();
}

export function findService(queries: Queries, owner: Context, id: string) {
  return queries
    .selectFrom('services')
    .selectAll()
    .where('id', '=', id)
    .where('owner_type', '=', owner.type)
    .where('owner_id', '=', owner.id)
    .executeTakeFirst();
}

/** Versions with their builds, or with where they run, newest first. */
export function versionsOf(queries: Queries, serviceIds: readonly string[]) {
  return queries
    .selectFrom('service_versions')
    .leftJoin('builds', 'builds.id', 'service_versions.build_id')
    .leftJoin('on_premise_targets', 'on_premise_targets.service_version_id', 'service_versions.id')
    .selectAll('service_versions')
    .select([
      'builds.status as build_status',
      'builds.created_at as build_created_at',
      'builds.started_at as build_started_at',
      'builds.ended_at as build_ended_at',
      'builds.problem as build_problem',
      'on_premise_targets.url as target_url',
      'on_premise_targets.timeout_ms as target_timeout_ms',
      'on_premise_targets.sealed_credentials as target_sealed_credentials',
    ])
    .where('service_id', 'in', [...serviceIds, ''])
    .orderBy('service_versions.id', 'desc')
    .execute();
}
export type VersionWithBuild = Awaited<ReturnType<typeof versionsOf>>[number];

export function insertService(transaction: Queries, row: ServiceRow) {
  return transaction.insertInto('services').values(row).execute();
}

export function findBuild(queries: Queries, id: string) {
  return queries.selectFrom('builds').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Builds that have not ended and that no other worker is doing, oldest first. */
export function buildsToDo(database: Database, workerId: string) {
  return database.read
    .selectFrom('builds')
    .select('id')
    .where('status', 'in', ['PENDING', 'RUNNING'])
    .where((where) => where.or([where('worker_id', 'is', null), where('worker_id', '=', workerId)]))
    .orderBy('created_at')
    .execute();
}

/** Takes a build for a worker; false when another one has it, or it has ended. */
export async function claimBuild(transaction: Queries, id: string, workerId: string, now: number): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('builds')
    .set({ status: 'RUNNING', started_at: now, worker_id: workerId })
    .where('id', '=', id)
    .where('status', 'in', ['PENDING', 'RUNNING'])
    .where((where) => where.or([where('worker_id', 'is', null), where('worker_id', '=', workerId)]))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Builds that a lost worker was doing are to be done by another. */
export function releaseBuilds(transaction: Queries, workerId: string) {
  return transaction
    .updateTable('builds')
    .set({ status: 'PENDING', started_at: null, worker_id: null })
    .where('status', '=', 'RUNNING')
    .where('worker_id', '=', workerId)
    .returning('id')
    .execute();
}
