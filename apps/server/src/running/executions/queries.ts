import type { ExecutionStatus } from '@kethub/contract';
import { sql, type SelectQueryBuilder, type UpdateObject } from 'kysely';
import type {
  Database,
  ExecutionRow,
  OwnerType,
  Queries,
  Tables,
  StatementBatch,
} from '../../foundation/storage/index.ts';
import { scopeColumns, taggedWithin, within, type ExecutionScope } from './scope.ts';
import { tagsIn } from '@kethub/service-api';
import { idsOf, matching, type ExecutionFilter } from './filter.ts';
import { after, before, type ExecutionEvent } from './transition.ts';

/** The SQL of executions. Each move is one conditional update: of two concurrent moves exactly one happens. */

/** Columns of the status object. */
export const statusColumns = [
  'id',
  'status',
  'created_at',
  'started_at',
  'ended_at',
  'type',
  'service_id',
  'service_version_id',
  'application_id',
  'tags',
] as const;
export type StatusRow = Pick<ExecutionRow, (typeof statusColumns)[number]>;

/** Columns of the status object and of the scope. */
export const seenColumns = [...statusColumns, ...scopeColumns] as const;
export type SeenRow = Pick<ExecutionRow, (typeof seenColumns)[number]>;

/**
 * Inserts executions. Columns that are null in all rows are left out: half of the columns of a new row are set later.
 */
export function insertExecutions(together: StatementBatch, rows: readonly ExecutionRow[]): void {
  const [first] = rows;
  if (!first) return;
  // Every row has every column.
  const all = Object.keys(first) as (keyof ExecutionRow)[];
  const columns = all.filter((column) => rows.some((row) => row[column] !== null));
  const filled = rows.map((row) => Object.fromEntries(columns.map((column) => [column, row[column]])));
  together.insert('executions', columns, filled);
}

/**
 * Makes the move of `event` if the status allows it. Returns whether it was made. When `ended_at` is set, the trigger
 * `executions_end_workflow_jobs` marks the job that started the execution: hand-over 1 of the state chart in workflows/engine.ts.
 * @param workerId the worker that has claimed it. Without it, any may have.
 */
export async function move(
  transaction: Queries,
  id: string,
  event: ExecutionEvent,
  values: Omit<UpdateObject<Tables, 'executions'>, 'id' | 'status'>,
  workerId?: string,
): Promise<boolean> {
  const moved = transaction
    .updateTable('executions')
    .set({ ...values, status: after(event) })
    .where('id', '=', id)
    .where('status', 'in', before(event));
  const { numUpdatedRows } = await (
    workerId === undefined ? moved : moved.where('worker_id', '=', workerId)
  ).executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Stores the log of an execution that was cancelled while it ran, so that readers who follow it see its end. Returns
 * false when a log is stored already.
 */
export async function keepLateLog(
  transaction: Queries,
  id: string,
  values: UpdateObject<Tables, 'executions'>,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('executions')
    .set(values)
    .where('id', '=', id)
    .where('log', 'is', null)
    .where('log_blob', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export function runningOf(queries: Queries, workerId: string) {
  // A literal condition: SQLite does not use a partial index for a parameter.
  const isRunning = sql<boolean>`status = 'RUNNING'`;
  return queries.selectFrom('executions').selectAll().where(isRunning).where('worker_id', '=', workerId).execute();
}

/** Latest executions that are searched for uncollected ones: there is no index for what hardly ever happens. */
const SEARCHED = 10_000;

/** Executions that were cancelled after this worker had claimed them, and that have no log yet. */
export async function uncollectedOf({ read }: Database, workerId: string): Promise<string[]> {
  const rows = await read
    .selectFrom((query) =>
      query.selectFrom('executions').selectAll().orderBy('id', 'desc').limit(SEARCHED).as('latest'),
    )
    .select('id')
    .where('worker_id', '=', workerId)
    .where('status', '=', 'CANCELLED')
    .where('log', 'is', null)
    .where('log_blob', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** The resources of a machine that an execution was given. */
export function resourcesOf(database: Database, id: string) {
  return database.read
    .selectFrom('executions')
    .select(['cpus', 'memory_bytes', 'gpus', 'gpu_type'])
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Filters the executions that have ended in the database, for example cancelled through another process. */
export async function endedOf(database: Database, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await database.read
    .selectFrom('executions')
    .select('id')
    .where('id', 'in', ids)
    .where('ended_at', 'is not', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** An execution within a scope. */
export function findExecution(database: Database, scope: ExecutionScope, id: string) {
  return database.read
    .selectFrom('executions')
    .selectAll()
    .where('id', '=', id)
    .where(within(scope))
    .executeTakeFirst();
}

/** An execution of a service, of any owner. */
export function findExecutionOfService(database: Database, serviceId: string, id: string) {
  return database.read
    .selectFrom('executions')
    .selectAll()
    .where('id', '=', id)
    .where('service_id', '=', serviceId)
    .executeTakeFirst();
}

export function filesOf(database: Database, executionId: string) {
  return database.read
    .selectFrom('execution_files')
    .selectAll()
    .where('execution_id', '=', executionId)
    .orderBy('name')
    .execute();
}

/** Columns that a list shows. */
const listedColumns = [...statusColumns, 'person_id', 'workflow_id', 'workflow_task'] as const;
export type ListedRow = Pick<ExecutionRow, (typeof listedColumns)[number]>;

/** Rows within a scope, newest first, after (older than) `cursor`. */
export function pageOfExecutions(
  database: Database,
  scope: ExecutionScope,
  filter: ExecutionFilter,
  cursor: string | null,
  limit: number,
): Promise<ListedRow[]> {
  if (filter.tag !== undefined) return pageOfTag(database, scope, { ...filter, tag: filter.tag }, cursor, limit);
  return newest(database, leadingOf(scope), filter, cursor, limit);
}

type Listing = SelectQueryBuilder<Tables, 'executions', ListedRow>;

/** The executions of a subscription, an owner or a service: the column that leads their indexes, and its value. */
interface Leading {
  readonly column: 'subscription_id' | 'owner_id' | 'service_id';
  readonly value: string;
  readonly ownerType?: OwnerType;
}

function leadingOf({ of }: ExecutionScope): Leading {
  return of.by === 'SUBSCRIPTION'
    ? { column: 'subscription_id', value: of.subscriptionId }
    : { column: 'owner_id', value: of.id, ownerType: of.type };
}

/**
 * A page of the newest executions. Each status is read alone, in the order of its index: an index of several statuses
 * is in the order of none.
 */
async function newest(
  { read }: Database,
  leading: Leading,
  { statuses, version, ...filter }: ExecutionFilter,
  cursor: string | null,
  limit: number,
): Promise<ListedRow[]> {
  // PostgreSQL chooses the index of a version by how many executions this version has.
  const serviceId = leading.column === 'service_id' ? leading.value : filter.serviceId;
  const versionId = version === undefined || serviceId === undefined ? null : await idOf(read, serviceId, version);
  if (versionId === undefined) return [];
  // A version is of one service: a condition on the service would have PostgreSQL combine two indexes.
  const remaining = versionId === null ? { ...filter, version } : { ...filter, serviceId: undefined };
  const { first, end: to } = idsOf(filter);
  const end = [cursor, to].filter((one) => one !== null).toSorted()[0] ?? null;
  if (first !== null && end !== null && first >= end) return [];
  const isNarrow = statuses !== undefined || versionId !== null || isSelective(filter);
  const narrowed = (query: Listing): Listing => {
    // A version is of this service alone.
    if (versionId !== null && leading.column === 'service_id') return query;
    return isNarrow ? ledBy(query, leading) : ledByTime(query, leading, first, end);
  };
  const page = (query: Listing): Listing => {
    const older = cursor === null ? query : query.where('id', '<', cursor);
    const ofVersion = versionId === null ? older : older.where('service_version_id', '=', versionId);
    return narrowed(ofVersion.where(matching(remaining)))
      .orderBy('id', 'desc')
      .limit(limit);
  };
  const all = read.selectFrom('executions').select(listedColumns);
  if (statuses === undefined) return page(all).execute();
  const pages = [...new Set(statuses)].map((status) =>
    read.selectFrom(page(withStatus(all, status)).as('page')).selectAll(),
  );
  const [one, ...others] = pages;
  if (!one) return [];
  // One statement, so that an execution that changes its status meanwhile is in exactly one part.
  return others
    .reduce((both, other) => both.unionAll(other), one)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Filters that have an index of their own. */
function isSelective({ serviceId, applicationId, personId, workflowId }: ExecutionFilter): boolean {
  return [serviceId, applicationId, personId, workflowId].some((one) => one !== undefined);
}

/** Narrows a list to the value of its leading column. With a selective filter, an index leads to the executions that match. */
function ledBy(query: Listing, { column, value, ownerType }: Leading): Listing {
  const typed = ownerType === undefined ? query : query.where('owner_type', '=', ownerType);
  return typed.where(column, '=', value);
}

/**
 * Narrows a list without a selective filter to that value, and to ids from `first` to before `end`. It is read from the
 * index of the column. PostgreSQL would walk through the primary key, past all that others have started since, if the
 * value had many executions once. An order that begins with the column prevents that. The bounds say as much as an
 * equality, which would remove the column from the order.
 */
function ledByTime(query: Listing, { column, value, ownerType }: Leading, first: string | null, end: string | null) {
  const typed = ownerType === undefined ? query : query.where('owner_type', '=', ownerType);
  const name = sql.ref(column);
  return typed
    .where(end === null ? sql<boolean>`${name} <= ${value}` : sql<boolean>`(${name}, id) < (${value}, ${end})`)
    .where(first === null ? sql<boolean>`${name} >= ${value}` : sql<boolean>`(${name}, id) >= (${value}, ${first})`)
    .orderBy(column, 'desc');
}

async function idOf(read: Queries, serviceId: string, version: string): Promise<string | undefined> {
  const row = await read
    .selectFrom('service_versions')
    .select('id')
    .where('service_id', '=', serviceId)
    .where('version', '=', version)
    .executeTakeFirst();
  return row?.id;
}

function withStatus(query: Listing, status: ExecutionStatus): Listing {
  const one = query.where('status', '=', status);
  // SQLite uses the index of all others only with this condition.
  return status === 'SUCCEEDED' ? one : one.where(sql<boolean>`status <> 'SUCCEEDED'`);
}

/** A page of executions with a tag, read from the index of tags. */
function pageOfTag(
  database: Database,
  scope: ExecutionScope,
  { tag, ...filter }: ExecutionFilter & { readonly tag: string },
  cursor: string | null,
  limit: number,
): Promise<ListedRow[]> {
  const tagged = database.read.selectFrom('execution_tags').where(taggedWithin(scope)).where('tag', '=', tag);
  const query = tagged
    .innerJoin('executions', 'executions.id', 'execution_id')
    .select(listedColumns.map((column) => `executions.${column}` as const))
    .where(matching(filter))
    .orderBy('execution_id', 'desc')
    .limit(limit);
  return (cursor === null ? query : query.where('execution_id', '<', cursor)).execute();
}

/** Adds the tags of executions to their index. */
export function insertTags(together: StatementBatch, rows: readonly ExecutionRow[]): void {
  const tagged = rows.flatMap(({ id: execution_id, tags, subscription_id, owner_type, owner_id }) =>
    tagsIn(tags).map((tag) => ({ execution_id, tag, subscription_id, owner_type, owner_id })),
  );
  if (tagged.length === 0) return;
  together.insert('execution_tags', ['execution_id', 'tag', 'subscription_id', 'owner_type', 'owner_id'], tagged);
}

/** Rows of all executions of a service, of any owner, newest first, after (older than) `cursor`. */
export function pageOfService(
  database: Database,
  serviceId: string,
  filter: ExecutionFilter,
  cursor: string | null,
  limit: number,
): Promise<ListedRow[]> {
  return newest(database, { column: 'service_id', value: serviceId }, filter, cursor, limit);
}
