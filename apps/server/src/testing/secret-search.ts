import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { Client } from 'pg';

/** The locations where a secret was found, in words; empty if there are none. */
export type Found = string[];

/** The likely encodings of a text. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // The middle of the base64 text depends only on the position of the secret modulo three bytes.
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -4),
  );
  return [secret, bytes.toString('hex'), bytes.toString('base64url'), ...shifted, encodeURIComponent(secret)];
}

/**
 * Searches every file below these folders, binary ones too. The secret is passed by standard input, not on a command
 * line.
 */
export function searchFiles(secret: string, files: readonly string[]): Found {
  const there = files.filter((file) => existsSync(file));
  const { status, stdout, stderr } = spawnSync('grep', ['-rlaF', '-f', '-', '--', ...there], {
    input: `${formsOf(secret).join('\n')}\n`,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const gone = stderr.split('\n').filter((line) => line !== '' && !/No such file|No such device/.test(line));
  if (status !== 0 && gone.length > 0) throw new Error(`Not everything could be searched: ${gone.join(' ')}`);
  return stdout.split('\n').filter(Boolean);
}

/** Searches the arguments and the environment of every process of the machine. */
export function searchProcesses(secret: string): Found {
  const forms = formsOf(secret);
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => ['cmdline', 'environ', 'comm'].map((part) => `/proc/${pid}/${part}`))
    .filter((path) => {
      try {
        const text = readFileSync(path, 'utf8');
        return forms.some((form) => text.includes(form));
      } catch {
        return false; // it has ended
      }
    });
}

/** Searches all rows of a PostgreSQL, because its files may be compressed. Finds nothing without a database (null). */
export async function searchRows(secret: string, databaseUrl: string | null): Promise<Found> {
  if (databaseUrl === null) return [];
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      "select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')",
    );
    const found: Found = [];
    for (const { name } of tables.rows) {
      const like = formsOf(secret).map((form) => `%${form}%`);
      const rows = await client.query(`select 1 from ${name} as t where t::text like any($1) limit 1`, [like]);
      if (rows.rows.length > 0) found.push(`table ${name}`);
    }
    return found;
  } finally {
    await client.end();
  }
}

/** The data folder of a PostgreSQL of this machine, with its write-ahead log; null if it is unknown. */
export async function filesOfPostgres(databaseUrl: string | null): Promise<string | null> {
  if (databaseUrl === null) return null;
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    const folder = rows[0]?.data_directory ?? '';
    return existsSync(folder) ? folder : null;
  } finally {
    await client.end();
  }
}

/** The limit of a core dump of this process; `0` if the kernel would write none. */
export function coreLimitOf(pid: number): string | undefined {
  const limits = readFileSync(`/proc/${pid}/limits`, 'latin1');
  return /^Max core file size +\S+ +(\S+)/m.exec(limits)?.[1];
}
