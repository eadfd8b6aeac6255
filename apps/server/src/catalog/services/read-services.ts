import type { Build, Service, ServiceVersion } from '@kethub/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  beginWait,
  etag,
  searchOf,
  Problem,
  type Answer,
  type Listing,
  type Revised,
  type Tagged,
  type WantedWait,
} from '../../foundation/http/index.ts';
import { answerLog, answerLogFile, type LogRequest } from '../../foundation/logs/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { ServiceRow } from '../../foundation/storage/index.ts';
import { buildLog, onBuildChanged } from './builds/index.ts';
import { presentBuild, presentService, presentVersion } from './present.ts';
import {
  findBuild,
  hasSource,
  newestVersions,
  pageOfServices,
  pageOfVersions,
  type ServiceFilter,
  type VersionWithBuild,
} from './queries.ts';
import {
  requireManagedVersion,
  requireService,
  requireSourceVersion,
  requireVersion,
  type VersionRef,
} from './versions.ts';

interface ListedService {
  readonly id: string;
  readonly row: ServiceRow;
  readonly versions: readonly VersionWithBuild[];
}

/** Lists the services of an owner, each with its newest versions. */
export function readServices(platform: Platform, owner: Context, query: ServiceFilter): Listing<ListedService> {
  const { database } = platform;
  return {
    address: `${platform.addresses.api}/services${searchOf({ q: query.q, type: query.type, state: query.state })}`,
    async load(cursor, limit) {
      const rows = await pageOfServices(database, owner, { ...query, now: platform.now() }, cursor, limit);
      const ids = rows.map(({ id }) => id);
      const byService = Map.groupBy(await newestVersions(database.read, ids), (version) => version.service_id);
      return rows.map((row) => ({ id: row.id, row, versions: byService.get(row.id) ?? [] }));
    },
    present: ({ row, versions }) => presentService(row, versions, platform),
  };
}

/** Lists all versions of a service, newest first. */
export async function readVersions(
  platform: Platform,
  owner: Context,
  serviceId: string,
): Promise<Listing<VersionWithBuild>> {
  const service = await requireService(platform.database.read, owner, serviceId);
  return {
    address: `${platform.addresses.api}/services/${serviceId}/versions`,
    load: (cursor, limit) => pageOfVersions(platform.database, serviceId, cursor, limit),
    present: (row) => presentVersion(row, service, platform),
  };
}

export async function readService(platform: Platform, owner: Context, id: string): Promise<Revised<Service>> {
  const row = await requireService(platform.database.read, owner, id);
  const versions = await newestVersions(platform.database.read, [id]);
  const isAutomated = await hasSource(platform.database.read, id);
  return { body: { ...presentService(row, versions, platform), isAutomated }, revision: row.revision };
}

export async function readVersion(platform: Platform, at: VersionRef): Promise<Revised<ServiceVersion>> {
  const { service, row } = await requireVersion(platform.database.read, at);
  return { body: presentVersion(row, service, platform), revision: row.revision };
}

/** Answers with the ZIP or the BPMN file as it was uploaded. */
export async function readSource(platform: Platform, at: VersionRef): Promise<Answer> {
  const { service, row } = await requireSourceVersion(platform.database.read, at);
  const [media, ending] = service.type === 'WORKFLOW' ? ['application/xml', 'bpmn'] : ['application/zip', 'zip'];
  const { stream, bytes } = await platform.blobs.get(row.source_blob);
  const headers = {
    'content-type': media,
    'content-length': String(bytes),
    'content-disposition': `attachment; filename="${service.slug}-${at.version}.${ending}"`,
    etag: etag(row.source_digest),
  };
  return { status: 200, body: stream, headers };
}

/** The build of a version, and the seconds of a wait that was granted. A wait is for another status. */
export async function readBuild(
  platform: Platform,
  at: VersionRef,
  wait: WantedWait,
): Promise<{ readonly build: Tagged<Build>; readonly seconds: number }> {
  const { row } = await requireManagedVersion(platform.database.read, at);
  const { seconds, end } = beginWait(platform, at.owner.personId, wait);
  let isGone = false;
  const stay = wait.whenGone(() => (isGone = true));
  try {
    const until = Date.now() + seconds * 1000;
    const first = row.build_status;
    for (;;) {
      const build = await findBuild(platform.database.read, row.build_id);
      if (!build)
        throw new Problem('not-found', 'The source was replaced; this build is gone. Read the version again.');
      const left = isGone ? 0 : until - Date.now();
      if (build.ended_at === null && build.status === first && left > 0) {
        await onBuildChanged(platform.database, build.id, left);
        continue;
      }
      return { build: { body: presentBuild(build), tag: etag(`${build.id}-${build.status}`) }, seconds };
    }
  } finally {
    stay();
    end();
  }
}

export async function readBuildLog(
  platform: Platform,
  at: VersionRef,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Answer> {
  return answerLog(platform, await logOfBuild(platform, at), request, reply);
}

/** Answers with the log of a build as a text file. */
export async function downloadBuildLog(platform: Platform, at: VersionRef, reply: FastifyReply): Promise<Answer> {
  return answerLogFile(platform, await logOfBuild(platform, at), `build-${at.version}.log`, reply);
}

async function logOfBuild(platform: Platform, at: VersionRef): Promise<LogRequest> {
  const { row } = await requireManagedVersion(platform.database.read, at);
  return { key: `build ${row.build_id}`, source: buildLog(platform, row.build_id), caller: at.owner.personId };
}
