import { pino, stdSerializers, type DestinationStream, type Logger } from 'pino';

/** What never stands in a log, whoever quotes it: e-mail addresses, tokens and secrets of Kethub, JWTs. */
const SECRET =
  /[^\s"'<>()=,;:/]+@[^\s"'<>()=,;:/@]+\.[a-z]{2,}|ket_(?:pat|sk)_[0-9A-Za-z]+|eyJ[\w-]{8,}(?:\.[\w-]+){1,4}/gi;

/**
 * The log of a process. Whoever writes a line names what it holds, and names no personal data and no secrets. Errors are
 * the exception, as they come from anywhere: of these only the members below are written, without what looks like a
 * secret. What else an error carries (the row of a database, the headers of a request) stays out.
 */
export function createLog(level: string, stream?: DestinationStream): Logger {
  const options = { level, serializers: { err: errorForLog, cause: errorForLog } };
  return stream ? pino(options, stream) : pino(options);
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
