import { statfsSync } from 'node:fs';
import path from 'node:path';
import { destination, pino, stdSerializers, type DestinationStream, type Logger } from 'pino';

/** Texts that are removed from logged errors: e-mail addresses, tokens and secrets of Kethub, JWTs. */
const SECRET =
  /[^\s"'<>()=,;:/]+@[^\s"'<>()=,;:/@]+\.[a-z]{2,}|ket_(?:pat|sk)_[0-9A-Za-z]+|eyJ[\w-]{8,}(?:\.[\w-]+){1,4}/gi;

const STDOUT = 1;
/** Bytes of lines that wait in memory at a time; further lines are lost. */
export const MOST_WAITING = 8 * 1024 * 1024;
/** Milliseconds between two attempts to write lines that wait. */
const RETRY_MS = 1_000;

/**
 * The log of a process. A line contains only the members that its caller names, and these are no personal data and no
 * secrets. Errors can contain anything, so only their type, code, message and stack are logged, without texts that
 * look like secrets. Other members, such as a database row or request headers, are left out.
 */
export function createLog(level: string, stream: DestinationStream = openDestination(STDOUT)): Logger {
  return pino({ level, serializers: { err: errorForLog, cause: errorForLog } }, stream);
}

/**
 * Opens a file for lines. While its disk is full, lines wait in memory and the process goes on. Lines beyond
 * {@link MOST_WAITING} are lost; their number is logged when the others have been written.
 */
export function openDestination(dest: string | number): ReturnType<typeof destination> {
  const retry = { minLength: 1, periodicFlush: RETRY_MS };
  const stream = destination({ dest, sync: false, mode: 0o600, maxLength: MOST_WAITING, ...retry });
  let fails = false;
  let lost = 0;
  stream.on('error', () => (fails = true));
  stream.on('write', () => (fails = false));
  stream.on('drop', () => (lost += 1));
  const log = pino(stream);
  stream.on('drain', () => {
    if (lost === 0) return;
    const lines = lost;
    lost = 0;
    log.error({ lines }, 'lines of this log were lost: its disk was full');
  });
  // The library would wait for space, and the end of the process with it.
  const flushSync = stream.flushSync.bind(stream);
  stream.flushSync = () => {
    if (!fails && hasSpace(dest)) flushSync();
  };
  return stream;
}

/** Returns whether the disk of a file has space for all lines that can wait. A pipe has no disk. */
function hasSpace(dest: string | number): boolean {
  const disk = typeof dest === 'number' ? `/proc/self/fd/${dest}` : path.dirname(dest);
  const { blocks, bavail, bsize } = statfsSync(disk);
  return blocks === 0 || bavail * bsize >= MOST_WAITING;
}

function errorForLog(error: unknown): unknown {
  if (typeof error === 'string') return { message: withoutSecrets(error) };
  if (!(error instanceof Error)) return error === undefined ? undefined : { type: typeof error };
  const { type, message, stack } = stdSerializers.err(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { type, code, message: withoutSecrets(message), stack: withoutSecrets(stack) };
}

export function withoutSecrets(text: string): string {
  return text.replace(SECRET, '[removed]');
}
