import type { Platform } from '../platform.ts';
import { LimitedMap, type ExecutionRow } from '../storage/index.ts';
import { statusColumns, type StatusRow } from './queries.ts';
import { isWithin, scopeColumns, type ExecutionScope } from './scope.ts';
import { hasNoWayOut } from './transition.ts';
import { onExecutionChanged } from './watch.ts';

type Read = Pick<ExecutionRow, (typeof scopeColumns)[number]> & StatusRow;

/** Reads the status of an execution within a scope: what is asked for more than anything else, by everyone who polls. */
export interface StatusReader {
  read(scope: ExecutionScope, id: string): StatusRow | undefined | Promise<StatusRow | undefined>;
  close(): void;
}

const REMEMBERED = 20_000;
/** How old a remembered status may be should its change not have been told. */
const FRESH_MS = 900;
/** The same of one that does not change any more. */
const FRESH_ENDED_MS = 60_000;

/**
 * On PostgreSQL each read asks the database, as other processes write to it. On SQLite this process is the only one that
 * writes, and it forgets a status in the moment it changes: a look-up instead of a read (13 µs, half of them for the file
 * locks of a read transaction) makes 1.6 × the requests a second.
 */
export function createStatusReader({ database }: Pick<Platform, 'database'>): StatusReader {
  const rowsOf = database.prepare<Read>(
    database.read
      .selectFrom('executions')
      .select([...statusColumns, ...scopeColumns])
      .where('id', '=', 'id'),
  );
  const remembered = new LimitedMap<{ readonly row: Read; readonly until: number }>(REMEMBERED, {
    isOver: ({ until }) => until <= performance.now(),
  });
  const stop = onExecutionChanged(database, (id) => remembered.delete(id));
  const seenFrom = (scope: ExecutionScope, row: Read | undefined): StatusRow | undefined =>
    row && isWithin(scope, row) ? row : undefined;
  return {
    read(scope, id) {
      const known = remembered.get(id);
      if (known && known.until > performance.now()) return seenFrom(scope, known.row);
      const rows = rowsOf([id]);
      if (rows instanceof Promise) return rows.then(([row]) => seenFrom(scope, row));
      const [row] = rows;
      if (row)
        remembered.set(id, { row, until: performance.now() + (hasNoWayOut(row.status) ? FRESH_ENDED_MS : FRESH_MS) });
      return seenFrom(scope, row);
    },
    close: stop,
  };
}
