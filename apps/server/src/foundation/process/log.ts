import { destination, pino, stdSerializers, type DestinationStream, type Logger } from 'pino';

/** Texts that are removed from logged errors: e-mail addresses, tokens and secrets of Kethub, JWTs. */
const SECRET =
  /[^\s"'<>()=,;:/]+@[^\s"'<>()=,;:/@]+\.[a-z]{2,}|ket_(?:pat|sk)_[0-9A-Za-z]+|eyJ[\w-]{8,}(?:\.[\w-]+){1,4}/gi;

const STDOUT = 1;

/**
 * The log of a process. A line contains only the members that its caller names, and these are no personal data and no
 * secrets. Errors can contain anything, so only their type, code, message and stack are logged, without texts that
 * look like secrets. Other members, such as a database row or request headers, are left out.
 */
export function createLog(level: string, stream: DestinationStream = openDestination(STDOUT)): Logger {
  return pino({ level, serializers: { err: errorForLog, cause: errorForLog } }, stream);
}

/** Opens a file for lines. While its disk is full they wait in memory, and the process goes on. */
export function openDestination(dest: string | number): ReturnType<typeof destination> {
  const stream = destination({ dest, sync: false, mode: 0o600 });
  stream.on('error', () => undefined);
  return stream;
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
