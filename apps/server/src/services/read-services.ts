import type { FastifyReply, FastifyRequest } from 'fastify';
import { etag, isFresh, preferredWait, Problem, type Answer } from '../http/index.ts';
import { answerLog } from '../logs/index.ts';
import type { Context, Platform } from '../platform.ts';
import { buildLog, onBuildChanged } from './builds.ts';
import { presentBuild, presentService, presentVersion } from './present.ts';
import { findBuild, listServices, versionsOf } from './queries.ts';
import { requireManagedVersion, requireService, requireVersion } from './versions.ts';

export async function readServices(platform: Platform, owner: Context): Promise<Answer> {
  const rows = await listServices(platform.database, owner);
  const versions = await versionsOf(
    platform.database.read,
    rows.map(({ id }) => id),
  );
  const byService = Map.groupBy(versions, (version) => version.service_id);
  return { status: 200, body: rows.map((row) => presentService(row, byService.get(row.id) ?? [], platform.addresses)) };
}

export async function readService(platform: Platform, owner: Context, id: string): Promise<Answer> {
  const row = await requireService(platform.database.read, owner, id);
  const versions = await versionsOf(platform.database.read, [id]);
  return {
    status: 200,
    body: presentService(row, versions, platform.addresses),
    headers: { etag: etag(row.revision) },
  };
}

export async function readVersion(
  platform: Platform,
  owner: Context,
  serviceId: string,
  version: string,
): Promise<Answer> {
  const { service, row } = await requireVersion(platform.database.read, owner, serviceId, version);
  return { status: 200, body: presentVersion(row, service, platform.addresses), headers: { etag: etag(row.revision) } };
}

/** The ZIP as it was uploaded. */
export async function readSource(
  platform: Platform,
  owner: Context,
  serviceId: string,
  version: string,
): Promise<Answer> {
  const { service, row } = await requireManagedVersion(platform.database.read, owner, serviceId, version);
  const { stream, bytes } = await platform.blobs.get(row.source_blob);
  const headers = {
    'content-type': 'application/zip',
    'content-length': String(bytes),
    'content-disposition': `attachment; filename="${service.slug}-${version}.zip"`,
    etag: etag(row.source_digest),
  };
  return { status: 200, body: stream, headers };
}

/** The build of a version. `Prefer: wait=N` waits until its status differs from now, or has ended. */
export async function readBuild(
  platform: Platform,
  owner: Context,
  serviceId: string,
  version: string,
  request: FastifyRequest,
): Promise<Answer> {
  const { row } = await requireManagedVersion(platform.database.read, owner, serviceId, version);
  const seconds = preferredWait(request.headers.prefer);
  const end = Date.now() + seconds * 1000;
  const first = row.build_status;
  for (;;) {
    const build = await findBuild(platform.database.read, row.build_id);
    if (!build) throw new Problem('not-found', 'The source was replaced; this build is gone. Read the version again.');
    const left = end - Date.now();
    if (build.ended_at === null && build.status === first && left > 0) {
      await onBuildChanged(platform.database, build.id, left);
      continue;
    }
    const tag = etag(`${build.id}-${build.status}`);
    const headers = { etag: tag, ...(seconds > 0 && { 'preference-applied': `wait=${seconds}` }) };
    if (isFresh(request, tag)) return { status: 304, headers };
    return { status: 200, body: presentBuild(build), headers };
  }
}

export async function readBuildLog(
  platform: Platform,
  owner: Context,
  serviceId: string,
  version: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Answer> {
  const { row } = await requireManagedVersion(platform.database.read, owner, serviceId, version);
  return answerLog(buildLog(platform, row.build_id), request, reply);
}
