import { sql } from 'kysely';

/**
 * For the poll of workers: the time from which each loop of the engine may have work, or null; 0 is now. Each reads in
 * the order of an index: an emptied table has many dead rows.
 */
export const findWork = {
  events: sql<number | null>`(select 0 from workflow_events order by owner limit 1)`,
  jobs: sql<number | null>`(select 0 from workflow_jobs where state in ('OPEN', 'ENDED', 'CANCELLING', 'REMOTE')
    order by owner limit 1)`,
  timers: sql<number | null>`(select min(due) from workflow_timers)`,
  schedules: sql<number | null>`(select min(due) from workflow_schedules)`,
  messages: sql<number | null>`(select 0 from workflow_messages order by expires_at limit 1)`,
  thrown: sql<number | null>`(select 0 from workflow_messages where owner is not null order by owner limit 1)`,
  signals: sql<number | null>`(select 0 from workflow_signals order by owner limit 1)`,
};
