import type { Queries } from '../storage/index.ts';

/** Writes down which versions of Python, such as `3.12`, services can have on a worker. */
export async function reportPythons(
  transaction: Queries,
  workerId: string,
  versions: readonly string[],
): Promise<void> {
  const pythons = JSON.stringify(versions);
  await transaction.updateTable('workers').set({ pythons }).where('id', '=', workerId).execute();
}

/** The versions of Python on the workers that have not been given up; null while one of them has not reported, or none is there. */
export async function knownPythons(queries: Queries): Promise<string[] | null> {
  const rows = await queries.selectFrom('workers').select('pythons').where('lost_at', 'is', null).execute();
  if (rows.length === 0) return null;
  const versions = new Set<string>();
  for (const { pythons } of rows) {
    if (pythons === null) return null;
    for (const version of JSON.parse(pythons) as string[]) versions.add(version);
  }
  return [...versions];
}
