import type { ExecutionStatus } from '@kethub/contract';
import { sql, type Expression, type ExpressionBuilder, type SqlBool } from 'kysely';
import type { Database, Tables } from '../../foundation/storage/index.ts';

/** Executions that were created within `step` milliseconds from `at`, with one status. */
export interface CountedTime {
  readonly at: number;
  readonly status: ExecutionStatus;
  readonly count: number;
  /** Milliseconds for which they ran. */
  readonly ranMs: number;
}

/** Counts executions by status and time of creation. `step` is in milliseconds. */
export async function countsByTime(
  { read }: Database,
  condition: (where: ExpressionBuilder<Tables, 'executions'>) => Expression<SqlBool>,
  step: number,
): Promise<CountedTime[]> {
  const at = sql<string | number>`(created_at / cast(${step} as bigint)) * cast(${step} as bigint)`;
  const rows = await read
    .selectFrom((from) =>
      from
        .selectFrom('executions')
        .select([at.as('at'), 'status', sql<number>`coalesce(ended_at - started_at, 0)`.as('ran')])
        .where(condition)
        .as('counted'),
    )
    .select(['at', 'status', sql<string | number>`count(*)`.as('count'), sql<string | number>`sum(ran)`.as('ranMs')])
    .groupBy(['at', 'status'])
    .orderBy('at')
    .orderBy('status')
    .execute();
  return rows.map((row) => ({
    at: Number(row.at),
    status: row.status,
    count: Number(row.count),
    ranMs: Number(row.ranMs),
  }));
}
