import type { StorageUsage } from '@kethub/contract';
import { sql } from 'kysely';
import type { Platform } from '../../foundation/platform.ts';
import type { OwnerType, Queries } from '../../foundation/storage/index.ts';
import type { StorageOwner } from './storage-use.ts';

type Rules = StorageUsage['retention'];

/** Reads the retention rules of an owner. */
export async function readRules(queries: Queries, { type, id }: StorageOwner): Promise<Rules> {
  const rows = await queries
    .selectFrom('retention_rules')
    .select(['service_id', 'keep_days'])
    .where('owner_type', '=', type)
    .where('owner_id', '=', id)
    .orderBy('service_id')
    .execute();
  return {
    keepDays: rows.find(({ service_id }) => service_id === '')?.keep_days ?? null,
    services: rows.flatMap(({ service_id: serviceId, keep_days: keepDays }) =>
      serviceId === '' ? [] : [{ serviceId, keepDays }],
    ),
  };
}

/** The days for which an owner keeps executions of one service, or (null) of all services. */
export interface KeptFor {
  readonly owner: StorageOwner;
  readonly serviceId: string | null;
  readonly keepDays: number;
}

/** Owners that one query reads. */
const PAGE = 500;

/** Yields the shortest time that applies to each owner with storage, and that of each service with a shorter one. */
export async function* shortestTimes(platform: Platform): AsyncGenerator<KeptFor> {
  const { read } = platform.database;
  const general = platform.configuration.resultKeepDays;
  let after = { owner_type: '', owner_id: '' };
  for (;;) {
    const owners = await ownersAfter(read, after);
    for (const { owner_type: type, owner_id: id, has_rules } of owners) {
      const owner = { type, id };
      const rules = has_rules === 1 ? await readRules(read, owner) : { keepDays: null, services: [] };
      const days = [general, rules.keepDays].filter((one) => one !== null);
      const keepDays = days.length === 0 ? null : Math.min(...days);
      if (keepDays !== null) yield { owner, serviceId: null, keepDays };
      for (const one of rules.services) if (keepDays === null || one.keepDays < keepDays) yield { owner, ...one };
    }
    const last = owners.at(-1);
    if (!last || owners.length < PAGE) return;
    after = last;
  }
}

async function ownersAfter(read: Queries, after: { readonly owner_type: string; readonly owner_id: string }) {
  const { rows } = await sql<{ owner_type: OwnerType; owner_id: string; has_rules: number }>`
    select owner_type, owner_id, case when exists (select 1 from retention_rules
      where retention_rules.owner_type = owners.owner_type and retention_rules.owner_id = owners.owner_id)
      then 1 else 0 end as has_rules
    from (select distinct owner_type, owner_id from storage_use
      where (owner_type, owner_id) > (${after.owner_type}, ${after.owner_id})
      order by owner_type, owner_id limit ${PAGE}) as owners
    order by owner_type, owner_id`.execute(read);
  return rows;
}
