import { pino, stdSerializers, type DestinationStream, type Logger } from 'pino';

/** Texts that are removed from logged errors: e-mail addresses, tokens and secrets of Kethub, JWTs. */
const SECRET =
  /[^\s"'<>()=,;:/]+@[^\s"'<>()=,;:/@]+\.[a-z]{2,}|ket_(?:pat|sk)_[0-9A-Za-z]+|eyJ[\w-]{8,}(?:\.[\w-]+){1,4}/gi;

/**
 * The log of a process. A line contains only the members that its caller names, and these are no personal data and no
 * secrets. Errors can contain anything, so only their type, code, message and stack are logged, without texts that
 * look like secrets. Other members, such as a database row or request headers, are left out.
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
