import { FairSlots } from '@kethub/runtime/slots';
import type { ReaderSettings } from '../config/index.ts';
import { Problem } from '../http/index.ts';
import type { Platform } from '../platform.ts';
import { ChunkCache } from '@kethub/service-api';
import { SharedLog } from './shared-log.ts';
import type { LogSource } from './source.ts';

/** Bytes of log lines that are cached for concurrent readers; beyond that the oldest are removed. */
const CACHE_BYTES = 32 * 1024 * 1024;
/** Seconds after which a refused reader may try again. */
const RETRY_SECONDS = 5;

/** A log that is open for one reader. */
interface OpenLog {
  readonly log: SharedLog;
  /** Frees the slot of the reader. Repeatable. */
  close(): void;
}

/** The readers of logs in this process: one {@link SharedLog} for each log, and limits on readers. */
export class LogReaders {
  readonly #settings: ReaderSettings;
  readonly #slots: FairSlots;
  readonly #cache = new ChunkCache(CACHE_BYTES);
  readonly #logs = new Map<string, { readonly log: SharedLog; readers: number }>();

  constructor(settings: ReaderSettings) {
    this.#settings = settings;
    this.#slots = new FairSlots(settings.logs, settings.logsOfCaller);
  }

  /**
   * Opens a log for one more reader.
   * @param key unique name of the log among executions and builds.
   * @param caller id of the person or application, the same for all of its requests.
   * @throws Problem too-many-readers or readers-busy.
   */
  open(key: string, caller: string, source: LogSource): OpenLog {
    const known = this.#logs.get(key);
    if (known !== undefined && known.readers >= this.#settings.readersOfLog) {
      throw tooMany(`This log has ${known.readers} readers already, as many as one may have.`);
    }
    const release = this.#take(caller);
    const shared = known ?? { log: new SharedLog(source, key, this.#cache), readers: 0 };
    this.#logs.set(key, shared);
    shared.readers += 1;
    let isOpen = true;
    const close = (): void => {
      if (!isOpen) return;
      isOpen = false;
      release();
      shared.readers -= 1;
      if (shared.readers > 0) return;
      shared.log.close();
      this.#logs.delete(key);
    };
    return { log: shared.log, close };
  }

  #take(caller: string): () => void {
    const release = this.#slots.take(caller);
    if (release !== null) return release;
    const { logsOfCaller } = this.#settings;
    if (this.#slots.takenBy(caller) >= logsOfCaller) {
      throw tooMany(`You read or follow ${logsOfCaller} logs at the same time, as many as one caller may.`);
    }
    throw new Problem('readers-busy', 'This process serves as many readers of logs as it may at the moment.', {
      headers: { 'retry-after': String(RETRY_SECONDS) },
    });
  }
}

function tooMany(detail: string): Problem {
  return new Problem('too-many-readers', `${detail} End one, then ask again.`, {
    headers: { 'retry-after': String(RETRY_SECONDS) },
  });
}

const ofDatabases = new WeakMap<Platform['database'], LogReaders>();

/** The readers of a platform. All of its interfaces share one database, by which they find the same readers. */
export function readersOf({ database, configuration }: Pick<Platform, 'database' | 'configuration'>): LogReaders {
  const known = ofDatabases.get(database);
  if (known) return known;
  const readers = new LogReaders(configuration.readers);
  ofDatabases.set(database, readers);
  return readers;
}
