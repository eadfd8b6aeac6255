import type { Readable } from 'node:stream';
import type { Build, RuntimeConfiguration, ServiceVersion } from '@kethub/contract';
import { etag, Problem, requireMatch, type Revised } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { markOrphan, removeOrphans, type Queries } from '../../foundation/storage/index.ts';
import { buildPending } from './builds/index.ts';
import { presentBuild, presentVersion } from './present.ts';
import { findBuild, findVersion } from './queries.ts';
import { requireHosts } from './hosts.ts';
import { requireEnvironment, requirePython, requireRuntime } from './resources.ts';
import { storeSource, type SourceOrigin } from './source.ts';
import { insertBuild, requireDraft, requireManagedVersion, sourceColumns, type VersionRef } from './versions.ts';
import { useSource } from './use-source.ts';

/** Replaces the source of a draft of a managed service, and starts its build. `origin` is the commit that it is. */
export async function replaceSource(
  platform: Platform,
  at: VersionRef,
  upload: () => Readable,
  ifMatch: string | undefined,
  origin?: SourceOrigin,
): Promise<Build> {
  requireDraft((await requireManagedVersion(platform.database.read, at)).row);
  const source = { ...(await storeSource(platform, upload())), ...(origin && { origin }) };
  const unused = [source.blob];
  try {
    const buildId = await platform.database.write(async (transaction) => {
      const { row } = await requireManagedVersion(transaction, at);
      requireDraft(row);
      requireMatch(ifMatch, etag(row.revision));
      await requirePython(transaction, source.asked, JSON.parse(row.configuration) as RuntimeConfiguration);
      const anew = await buildAnew(platform, transaction, row.id);
      const values = { ...anew, ...sourceColumns(source), revision: row.revision + 1 };
      await useSource(platform, transaction, at.serviceId, source, row.source_bytes);
      await transaction.updateTable('service_versions').set(values).where('id', '=', row.id).execute();
      await markOrphan(transaction, row.source_blob, platform.now());
      unused.push(row.source_blob);
      return anew.build_id;
    });
    buildPending(platform.database);
    const build = await findBuild(platform.database.read, buildId);
    if (!build) throw new Problem('stale', 'The source was replaced again in the meantime.');
    return presentBuild(build);
  } finally {
    await removeOrphans(platform.database, platform.blobs, unused);
  }
}

/** Changes resources, limits and environment of a draft. Starts its build anew if it depends on the change. */
export async function configure(
  platform: Platform,
  at: VersionRef,
  configuration: RuntimeConfiguration,
  ifMatch: string | undefined,
): Promise<Revised<ServiceVersion>> {
  requireEnvironment(configuration, '');
  requireHosts(configuration, '');
  const answer = await platform.database.write(async (transaction) => {
    const { row, service } = await requireManagedVersion(transaction, at);
    requireDraft(row);
    requireMatch(ifMatch, etag(row.revision));
    const { runtime } = configuration;
    const isOther = !isBuiltAlike(configuration, JSON.parse(row.configuration) as RuntimeConfiguration);
    await requireRuntime(transaction, configuration, '');
    const anew = isOther ? await buildAnew(platform, transaction, row.id) : {};
    const values = { ...anew, runtime, configuration: JSON.stringify(configuration), revision: row.revision + 1 };
    await transaction.updateTable('service_versions').set(values).where('id', '=', row.id).execute();
    const changed = (await findVersion(transaction, at.serviceId, at.version)) ?? row;
    return { body: presentVersion(changed, service, platform), revision: values.revision };
  });
  buildPending(platform.database);
  return answer;
}

/** Returns whether two configurations lead to the same build of one source. */
function isBuiltAlike(one: RuntimeConfiguration, other: RuntimeConfiguration): boolean {
  return (
    one.runtime === other.runtime &&
    one.python === other.python &&
    (one.sourcePackages ?? false) === (other.sourcePackages ?? false)
  );
}

/** Adds a new build for a version. Returns the columns of the version that change with it. */
export async function buildAnew(platform: Platform, transaction: Queries, versionId: string) {
  const buildId = platform.newId();
  await insertBuild(platform, transaction, buildId, versionId);
  // An earlier build that still runs ends without effect: it is no longer the build of its version.
  const before = await transaction
    .deleteFrom('builds')
    .where('service_version_id', '=', versionId)
    .where('id', '!=', buildId)
    .returning('log_blob')
    .execute();
  for (const { log_blob } of before) if (log_blob !== null) await markOrphan(transaction, log_blob, platform.now());
  return { build_id: buildId, code: null, layer: null, parameters: null, derived_schemas: null };
}
