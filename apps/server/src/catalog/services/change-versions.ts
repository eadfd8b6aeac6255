import type { RuntimeConfiguration } from '@kethub/contract';
import type { FastifyRequest } from 'fastify';
import { etag, Problem, requireMatch, type Answer } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { markOrphan, removeOrphans, type Queries } from '../../foundation/storage/index.ts';
import { buildPending } from './builds/index.ts';
import { presentBuild, presentVersion } from './present.ts';
import { findBuild, findVersion } from './queries.ts';
import { requireHosts } from './hosts.ts';
import { requireEnvironment, requirePython, requireRuntime } from './resources.ts';
import { storeSource } from './source.ts';
import { uploadOf } from './upload.ts';
import { replaceWorkflow } from './workflow-versions.ts';
import { insertBuild, requireDraft, requireManagedVersion, requireService, sourceColumns } from './versions.ts';
import { useSource } from './use-source.ts';

/** Replaces the source of a draft and builds it anew. */
export async function replaceSource(
  platform: Platform,
  owner: Context,
  serviceId: string,
  version: string,
  request: FastifyRequest,
): Promise<Answer> {
  const { type } = await requireService(platform.database.read, owner, serviceId);
  if (type === 'WORKFLOW') return replaceWorkflow(platform, owner, serviceId, version, request);
  requireDraft((await requireManagedVersion(platform.database.read, owner, serviceId, version)).row);
  const source = await storeSource(platform, uploadOf(request));
  const unused = [source.blob];
  try {
    const buildId = await platform.database.write(async (transaction) => {
      const { row } = await requireManagedVersion(transaction, owner, serviceId, version);
      requireDraft(row);
      requireMatch(request.headers['if-match'], etag(row.revision));
      await requirePython(transaction, source.asked, JSON.parse(row.configuration) as RuntimeConfiguration);
      const anew = await buildAnew(platform, transaction, row.id);
      const values = { ...anew, ...sourceColumns(source), revision: row.revision + 1 };
      await useSource(platform, transaction, serviceId, source, row.source_bytes);
      await transaction.updateTable('service_versions').set(values).where('id', '=', row.id).execute();
      await markOrphan(transaction, row.source_blob, platform.now());
      unused.push(row.source_blob);
      return anew.build_id;
    });
    buildPending(platform.database);
    const build = await findBuild(platform.database.read, buildId);
    if (!build) throw new Problem('stale', 'The source was replaced again in the meantime.');
    const location = `${platform.addresses.api}/services/${serviceId}/versions/${version}/build`;
    return { status: 202, body: presentBuild(build), headers: { location } };
  } finally {
    await removeOrphans(platform.database, platform.blobs, unused);
  }
}

/** Changes resources, limits and environment of a draft. Where its build depends on the change, it is built anew. */
export async function configure(
  platform: Platform,
  owner: Context,
  serviceId: string,
  version: string,
  configuration: RuntimeConfiguration,
  request: FastifyRequest,
): Promise<Answer> {
  requireEnvironment(configuration, '');
  requireHosts(configuration, '');
  const answer = await platform.database.write(async (transaction) => {
    const { row, service } = await requireManagedVersion(transaction, owner, serviceId, version);
    requireDraft(row);
    requireMatch(request.headers['if-match'], etag(row.revision));
    const { runtime } = configuration;
    const isOther = !isBuiltAlike(configuration, JSON.parse(row.configuration) as RuntimeConfiguration);
    await requireRuntime(transaction, configuration, '');
    const anew = isOther ? await buildAnew(platform, transaction, row.id) : {};
    const values = { ...anew, runtime, configuration: JSON.stringify(configuration), revision: row.revision + 1 };
    await transaction.updateTable('service_versions').set(values).where('id', '=', row.id).execute();
    const changed = (await findVersion(transaction, serviceId, version)) ?? row;
    return { status: 200, body: presentVersion(changed, service, platform), headers: { etag: etag(values.revision) } };
  });
  buildPending(platform.database);
  return answer;
}

/** Whether two configurations lead to the same build of one source. */
function isBuiltAlike(one: RuntimeConfiguration, other: RuntimeConfiguration): boolean {
  return (
    one.runtime === other.runtime &&
    one.python === other.python &&
    (one.sourcePackages ?? false) === (other.sourcePackages ?? false)
  );
}

/** Gives a version a build to do. Returns what of the version changes with that. */
export async function buildAnew(platform: Platform, transaction: Queries, versionId: string) {
  const buildId = platform.newId();
  await insertBuild(platform, transaction, buildId, versionId);
  // One that still runs ends without effect: it is no longer the build of its version.
  const before = await transaction
    .deleteFrom('builds')
    .where('service_version_id', '=', versionId)
    .where('id', '!=', buildId)
    .returning('log_blob')
    .execute();
  for (const { log_blob } of before) if (log_blob !== null) await markOrphan(transaction, log_blob, platform.now());
  return { build_id: buildId, code: null, layer: null, parameters: null, derived_schemas: null };
}
