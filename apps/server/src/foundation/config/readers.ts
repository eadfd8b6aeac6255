import { Type, type Static, type TObject } from 'typebox';

/** Most readers of logs and waiting requests in a process, and the time that slow readers get. */
export interface ReaderSettings {
  readonly logsOfCaller: number;
  readonly readersOfLog: number;
  readonly logs: number;
  readonly waitsOfCaller: number;
  readonly waits: number;
  /** Milliseconds after which a connection is closed whose client reads nothing of its answer. */
  readonly slowMs: number;
}

export const ReaderFields = {
  KETHUB_LOG_READERS_PER_CALLER: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 100,
    description:
      'Logs that one person or application may read or follow at the same time. More are answered with 429. Counted by each process.',
  }),
  KETHUB_LOG_READERS_PER_LOG: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 200,
    description: 'Readers and followers that one log may have at the same time. More are answered with 429.',
  }),
  KETHUB_LOG_READERS: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 2_000,
    description:
      'Readers and followers of all logs together. The last quarter is reserved for callers with less than an equal share. More are answered with 503.',
  }),
  KETHUB_WAITS_PER_CALLER: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 1_000,
    description:
      'Requests of one person or application that may wait (`Prefer: wait`) at the same time. More are answered at once, without `Preference-Applied`.',
  }),
  KETHUB_WAITS: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    default: 10_000,
    description:
      'The same for all callers together. The last quarter is reserved for callers with less than an equal share.',
  }),
  KETHUB_SLOW_READER_SECONDS: Type.Integer({
    minimum: 1,
    maximum: 86_400,
    default: 60,
    description:
      'Seconds. A connection that has read nothing for so long of the log, list or file that it requested is closed. A log can be followed further from its last position.',
  }),
};

export function readersOf(given: Static<TObject<typeof ReaderFields>>): ReaderSettings {
  return {
    logsOfCaller: given.KETHUB_LOG_READERS_PER_CALLER,
    readersOfLog: given.KETHUB_LOG_READERS_PER_LOG,
    logs: given.KETHUB_LOG_READERS,
    waitsOfCaller: given.KETHUB_WAITS_PER_CALLER,
    waits: given.KETHUB_WAITS,
    slowMs: given.KETHUB_SLOW_READER_SECONDS * 1000,
  };
}
