import type { Platform } from '../../foundation/platform.ts';
import { Gather, isAmong, LimitedMap } from '../../foundation/storage/index.ts';
import { presentStatus } from './present.ts';
import { seenColumns, type SeenRow, type StatusRow } from './queries.ts';
import { isWithin, type ExecutionScope } from './scope.ts';
import { hasNoWayOut } from './transition.ts';
import { onExecutionChanged } from './watch.ts';

/** The status of an execution as it was read. */
export interface ReadStatus {
  readonly status: StatusRow['status'];
  /** The status object in JSON, made once for all who poll. */
  readonly text: string;
  readonly row: StatusRow;
}

/** Reads the status of an execution within a scope: what is asked for more than anything else, by everyone who polls. */
export interface StatusReader {
  read(scope: ExecutionScope, id: string): ReadStatus | undefined | Promise<ReadStatus | undefined>;
  /**
   * The same for whoever was told of a change: `told` is what it has become, where that was told as well. Many who have to
   * read in the same moment share a statement.
   */
  readChanged(
    scope: ExecutionScope,
    id: string,
    told: SeenRow | null,
  ): ReadStatus | undefined | Promise<ReadStatus | undefined>;
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
  const select = database.read.selectFrom('executions').select(seenColumns);
  const rowsOf = database.prepare<SeenRow>(select.where('id', '=', 'id'));
  const changed = new Gather<string, SeenRow | undefined>(async (ids) => {
    const rows = await select.where(isAmong(database.read, 'id', ids)).execute();
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id));
  });
  const remembered = new LimitedMap<Remembered>(REMEMBERED, { isOver: ({ until }) => until <= performance.now() });
  const stop = onExecutionChanged(database, (id) => remembered.delete(id));
  const reader: StatusReader = {
    readChanged(scope, id, told) {
      if (told) return isWithin(scope, told) ? statusOf(told) : undefined;
      if (database.dialect === 'sqlite') return reader.read(scope, id);
      return changed.add(id).then((row) => (row && isWithin(scope, row) ? statusOf(row) : undefined));
    },
    read(scope, id) {
      const known = remembered.get(id);
      if (known && known.until > performance.now()) {
        if (known.seenFrom === scope) return known;
        if (!isWithin(scope, known.row)) return undefined;
        known.seenFrom = scope;
        return known;
      }
      const rows = rowsOf([id]);
      if (rows instanceof Promise)
        return rows.then(([row]) => (row && isWithin(scope, row) ? statusOf(row) : undefined));
      const [row] = rows;
      if (!row || !isWithin(scope, row)) return undefined;
      const status = statusOf(row);
      const ms = hasNoWayOut(row.status) ? FRESH_ENDED_MS : FRESH_MS;
      remembered.set(id, { ...status, row, until: Math.round(performance.now()) + ms, seenFrom: scope });
      return status;
    },
    close: stop,
  };
  return reader;
}

interface Remembered extends ReadStatus {
  readonly row: SeenRow;
  /** Whole milliseconds of the process. */
  readonly until: number;
  /** Who has seen it last, and nearly always sees it next. */
  seenFrom: ExecutionScope;
}

function statusOf(row: SeenRow): ReadStatus {
  return { status: row.status, text: JSON.stringify(presentStatus(row)), row };
}
