import type { Build, BuildProblem } from '@kethub/contract';
import { etag, Problem, requireMatch } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { markOrphan, removeOrphans } from '../../foundation/storage/index.ts';
import { buildChanged, buildPending } from './builds/index.ts';
import { buildAnew } from './change-versions.ts';
import { presentBuild } from './present.ts';
import { everyVersion, findBuild } from './queries.ts';
import { requireDraft, requireManagedVersion, requireVersion, type VersionRef } from './versions.ts';

const cancelled: BuildProblem = {
  code: 'cancelled',
  title: 'Build cancelled',
  detail: 'Somebody has cancelled the build. Start it again, or upload the source again.',
};

/** Builds the source of a draft again. Throws version-published, too-many-builds. */
export async function restartBuild(platform: Platform, at: VersionRef): Promise<Build> {
  const { database } = platform;
  const buildId = await database.write(async (transaction) => {
    const { row } = await requireManagedVersion(transaction, at);
    requireDraft(row);
    const anew = await buildAnew(platform, transaction, row.id);
    const values = { ...anew, revision: row.revision + 1 };
    await transaction.updateTable('service_versions').set(values).where('id', '=', row.id).execute();
    return anew.build_id;
  });
  buildPending(database);
  buildChanged(database, buildId);
  const build = await findBuild(database.read, buildId);
  if (!build) throw new Problem('conflict', 'The source was replaced in the meantime. Its build has begun.');
  return presentBuild(build);
}

/**
 * Ends the build of a version as FAILED. A worker that is at it ends without effect. A build that has ended stays as it
 * is.
 */
export async function cancelBuild({ database, now }: Platform, at: VersionRef): Promise<Build> {
  const { row } = await requireManagedVersion(database.read, at);
  await database.write((transaction) =>
    transaction
      .updateTable('builds')
      .set({ status: 'FAILED', ended_at: now(), problem: JSON.stringify(cancelled), log: '', worker_id: null })
      .where('id', '=', row.build_id)
      .where('ended_at', 'is', null)
      .execute(),
  );
  buildChanged(database, row.build_id);
  const build = await findBuild(database.read, row.build_id);
  if (!build) throw new Problem('not-found', 'The source was replaced; this build is gone. Read the version again.');
  return presentBuild(build);
}

/** Deletes a draft. Throws version-published, and conflict for the only version of a service. */
export async function deleteDraft(platform: Platform, at: VersionRef, ifMatch: string | undefined): Promise<void> {
  const { database, blobs, now } = platform;
  const unused = await database.write(async (transaction) => {
    const { row } = await requireVersion(transaction, at);
    requireDraft(row);
    requireMatch(ifMatch, etag(row.revision));
    if ((await everyVersion(transaction, at.serviceId)).length === 1)
      throw new Problem('conflict', 'This is the only version of the service. Delete the service instead.');
    const builds = await transaction
      .selectFrom('builds')
      .select('log_blob')
      .where('service_version_id', '=', row.id)
      .execute();
    const own = [row.source_blob, ...builds.map(({ log_blob }) => log_blob)].filter((blob) => blob !== null);
    const gone = own.filter((blob) => blob !== '');
    await transaction.deleteFrom('service_versions').where('id', '=', row.id).execute();
    for (const blob of gone) await markOrphan(transaction, blob, now());
    return gone;
  });
  await removeOrphans(database, blobs, unused);
}
