import { Refusal } from '../config/index.ts';
import { isOutage } from './database.ts';

/** Remedies for what a PostgreSQL answers to the first connection, by the code of its error. */
const REMEDIES: Readonly<Record<string, string>> = {
  '28P01': 'Correct the user and the password.',
  '28000': 'Correct the user, or let this machine connect (pg_hba.conf of the server).',
  '3D000': 'Create the database, or correct its name.',
  '42501': 'Let the user connect to the database (grant connect).',
  '53300': 'Raise max_connections of the server, or lower KETHUB_DATABASE_CONNECTIONS.',
  '57P03': 'The server starts or stops. Try again when it accepts connections.',
  ENOTFOUND: 'Correct the host: no such name is known here.',
  EAI_AGAIN: 'Correct the host, or see that the name server answers.',
};

/**
 * The reason in words why the first connection to a PostgreSQL fails, or the same error if it is another one. It
 * names the server, the database and the user, never the password.
 */
export function refusedConnection(error: unknown, databaseUrl: string): unknown {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : null;
  if (url === null)
    return new Refusal(
      'DATABASE_URL is no address. Write postgres://<user>:<password>@<host>:<port>/<database>, and encode special characters of the password (%40 for @).',
    );
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  if (!(cause instanceof Error)) return error;
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  const remedy = REMEDIES[code];
  if (remedy === undefined && !isOutage(error) && !/ssl|tls|certificate/i.test(`${code} ${cause.message}`))
    return error;
  const [user, database] = [url.username, url.pathname.slice(1)].map((part) => JSON.stringify(decoded(part)));
  return new Refusal(
    `DATABASE_URL: the PostgreSQL at ${url.host} cannot be used (database ${database}, user ${user}): ${cause.message}. ` +
      (remedy ?? 'Correct host and port, or see that the server runs and can be reached from here.'),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
