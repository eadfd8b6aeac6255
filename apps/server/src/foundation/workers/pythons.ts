import type { Queries } from '../storage/index.ts';

/** Records the versions of Python, such as `3.12`, that a worker offers to services. */
export async function reportPythons(
  transaction: Queries,
  workerId: string,
  versions: readonly string[],
): Promise<void> {
  const pythons = JSON.stringify(versions);
  await transaction.updateTable('workers').set({ pythons }).where('id', '=', workerId).execute();
}

/** The versions of Python on all workers that are not lost; null if there is none, or one has not reported yet. */
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
