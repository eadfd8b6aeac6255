import { LRUCache } from 'lru-cache';
import type { Platform } from '../../foundation/platform.ts';
import { Batcher, isAmong } from '../../foundation/storage/index.ts';
import { presentStatus } from './present.ts';
import { seenColumns, type SeenRow, type StatusRow } from './queries.ts';
import { isWithin, type ExecutionScope } from './scope.ts';
import { hasNoWayOut } from './transition.ts';
import { onExecutionChanged } from './watch.ts';

/** The status of an execution as it was read. */
export interface ReadStatus {
  readonly status: StatusRow['status'];
  /** The status object as JSON, serialized once for all callers. */
  readonly text: string;
  readonly row: SeenRow;
}

/** Reads the status of an execution within a scope: the most frequent request, as every caller polls. */
export interface StatusReader {
  read(scope: ExecutionScope, id: string): Promise<ReadStatus | undefined>;
  /**
   * Reads a status that has just changed. `published` is the row that came with the notification, or null. Callers that
   * read at the same moment share a statement.
   */
  readChanged(scope: ExecutionScope, id: string, published: SeenRow | null): Promise<ReadStatus | undefined>;
  close(): void;
}

/** Statuses cached; one more evicts the least recently used. */
const CACHED = 20_000;
/** Milliseconds for which a status is cached, should the notification of its change be lost. */
const TTL_MS = 900;
/** Milliseconds for which a final status is cached. */
const FINAL_TTL_MS = 60_000;

/**
 * On PostgreSQL each read asks the database, because other processes write to it. On SQLite this process is the only
 * writer: statuses are cached and dropped the moment they change, which spares a read transaction of 13 µs.
 */
export function createStatusReader({ database }: Pick<Platform, 'database'>): StatusReader {
  const select = database.read.selectFrom('executions').select(seenColumns);
  const rowsOf = database.prepare<SeenRow>(select.where('id', '=', 'id'));
  const changed = new Batcher<string, SeenRow | undefined>(async (ids) => {
    const rows = await select.where(isAmong(database.read, 'id', ids)).execute();
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id));
  });
  const cache = new LRUCache<string, ReadStatus>({ max: CACHED, ttl: TTL_MS });
  const stop = onExecutionChanged(database, (id) => cache.delete(id));
  const reader: StatusReader = {
    async readChanged(scope, id, published) {
      if (database.dialect === 'sqlite' && !published) return reader.read(scope, id);
      const row = published ?? (await changed.add(id));
      return row && isWithin(scope, row) ? statusOf(row) : undefined;
    },
    async read(scope, id) {
      const cached = cache.get(id);
      if (cached) return isWithin(scope, cached.row) ? cached : undefined;
      const rows = rowsOf([id]);
      const [row] = rows instanceof Promise ? await rows : rows;
      if (!row || !isWithin(scope, row)) return undefined;
      const status = statusOf(row);
      // Only a read that returns at once is cached: the status may change while another is awaited.
      if (!(rows instanceof Promise)) cache.set(id, status, { ttl: hasNoWayOut(row.status) ? FINAL_TTL_MS : TTL_MS });
      return status;
    },
    close: stop,
  };
  return reader;
}

function statusOf(row: SeenRow): ReadStatus {
  return { status: row.status, text: JSON.stringify(presentStatus(row)), row };
}
