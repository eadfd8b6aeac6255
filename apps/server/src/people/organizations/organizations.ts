import { sql } from 'kysely';
import { toTimestamp, type FoundOrganization, type MemberRole, type Organization } from '@kethub/contract';
import { audit } from '../audit/index.ts';
import { lockAccountShared, type OwnerRenamed } from '../deletions/index.ts';
import { etag, once, Problem, requireMatch, type IdempotencyKey, type Tagged } from '../../foundation/http/index.ts';
import type { Context, Person, Platform } from '../../foundation/platform.ts';
import type { OrganizationRow } from '../../foundation/storage/index.ts';
import { organizationAnswersOf } from './catalog.ts';
import { lockOrganization } from './memberships.ts';

/** Creates an organization; its creator becomes its owner. */
export function createOrganization(
  platform: Platform,
  person: Person,
  name: string,
  idempotencyKey: IdempotencyKey,
): Promise<Organization> {
  const now = platform.now();
  return once(platform, idempotencyKey, organizationAnswersOf(person.id), name, async (transaction) => {
    await lockAccountShared(platform.database, transaction, person.id);
    const row: OrganizationRow = { id: platform.newId(), name: name.trim(), created_at: now, revision: 1 };
    await transaction.insertInto('organizations').values(row).execute();
    const membership = { organization_id: row.id, user_id: person.id, role: 'OWNER' as const, created_at: now };
    await transaction.insertInto('memberships').values(membership).execute();
    const context: Context = { type: 'ORGANIZATION', id: row.id, role: 'OWNER', personId: person.id };
    await audit(platform, transaction, context, 'organization:create', row.id, { name: row.name });
    return present({ ...row, role: 'OWNER' });
  });
}

/** Organizations that are found at once. Names need not be unique. */
const MOST_FOUND = 20;

/** Finds organizations by id, or by their whole name in upper or lower case: no part of a name, so none are listed. */
export async function findOrganizations({ database }: Platform, q: string): Promise<FoundOrganization[]> {
  return database.read
    .selectFrom('organizations')
    .select(['id', 'name'])
    .where((where) => where.or([where('id', '=', q.toLowerCase()), where(sql`lower(name)`, '=', q.toLowerCase())]))
    .orderBy('id')
    .limit(MOST_FOUND)
    .execute();
}

/** Lists the organizations that a person has joined, newest first. */
export async function readOrganizations(platform: Platform, person: Person): Promise<Organization[]> {
  const rows = await platform.database.read
    .selectFrom('memberships')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select(['organizations.id', 'name', 'role', 'organizations.created_at'])
    .where('user_id', '=', person.id)
    .orderBy('organizations.id', 'desc')
    .execute();
  return rows.map((row) => present(row));
}

export async function readOrganization(platform: Platform, { id, role }: Context): Promise<Tagged<Organization>> {
  const { read } = platform.database;
  const row = await read.selectFrom('organizations').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw new Problem('not-found', `There is no organization ${id}, or you have not joined it.`);
  return { body: present({ ...row, role }), tag: etag(`${row.revision}-${role}`) };
}

export function renameOrganization(
  platform: Platform,
  ownerRenamed: OwnerRenamed,
  context: Context,
  name: string,
  ifMatch: string | undefined,
): Promise<Tagged<Organization>> {
  const { database } = platform;
  return database.write(async (transaction) => {
    const row = await lockOrganization(database, transaction, context.id);
    requireMatch(ifMatch, etag(`${row.revision}-${context.role}`));
    const values = { name: name.trim(), revision: row.revision + 1 };
    await transaction.updateTable('organizations').set(values).where('id', '=', row.id).execute();
    await ownerRenamed(transaction, { type: 'ORGANIZATION', id: row.id }, values.name);
    const body = present({ ...row, ...values, role: context.role });
    await audit(platform, transaction, context, 'organization:change', row.id, { name: values.name });
    return { body, tag: etag(`${values.revision}-${context.role}`) };
  });
}

/** Deletes an organization. Throws conflict while it owns resources. */
export async function deleteOrganization(platform: Platform, context: Context): Promise<void> {
  const { database } = platform;
  await database.write(async (transaction) => {
    await lockOrganization(database, transaction, context.id);
    for (const table of ['applications', 'services', 'data_pools', 'implementations'] as const) {
      const one = await transaction
        .selectFrom(table)
        .select('name')
        .where('owner_type', '=', 'ORGANIZATION')
        .where('owner_id', '=', context.id)
        .limit(1)
        .executeTakeFirst();
      if (!one) continue;
      throw new Problem(
        'conflict',
        `The organization still owns ${table.replace('_', ' ')}, such as "${one.name}". Delete or transfer them first.`,
      );
    }
    await audit(platform, transaction, context, 'organization:delete', context.id);
    // Shares with the organization end with it.
    await transaction
      .deleteFrom('data_pool_members')
      .where('member_type', '=', 'ORGANIZATION')
      .where('member_id', '=', context.id)
      .execute();
    await transaction
      .deleteFrom('implementation_members')
      .where('member_type', '=', 'ORGANIZATION')
      .where('member_id', '=', context.id)
      .execute();
    await transaction
      .deleteFrom('provider_access_tokens')
      .where('owner_type', '=', 'ORGANIZATION')
      .where('owner_id', '=', context.id)
      .execute();
    await transaction.deleteFrom('organizations').where('id', '=', context.id).execute();
  });
}

function present(row: { id: string; name: string; role: MemberRole; created_at: number }): Organization {
  return { id: row.id, name: row.name, role: row.role, createdAt: toTimestamp(row.created_at) };
}
