import type { FastifyRequest } from 'fastify';
import { etag, once, Problem, type Answer } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { isDuplicate, removeUnused, type Queries, type ServiceRow } from '../../foundation/storage/index.ts';
import { presentVersion } from './present.ts';
import { everyVersion, findVersion, newestVersions, type VersionRow, type VersionWithBuild } from './queries.ts';
import { nextVersion } from './version-number.ts';
import { nextNumber, requireService } from './versions.ts';

/** A request for the next version of a service. */
export interface NextVersion {
  readonly owner: Context;
  readonly serviceId: string;
  /** The number that it is to have; the next one when left out. */
  readonly wanted: string | undefined;
  readonly request: FastifyRequest;
  /** What makes two requests the same, beside the number. */
  readonly content: string;
}

/** Puts what was uploaded into the place of a draft that could not be built. */
export type Replace = (transaction: Queries, failed: VersionWithBuild, number: string) => Promise<unknown>;

/** The draft of a service, if its build has failed. */
export async function failedDraft(queries: Queries, serviceId: string): Promise<VersionWithBuild | null> {
  const versions = await newestVersions(queries, [serviceId]);
  return versions.find(({ state, build_status }) => state === 'DRAFT' && build_status === 'FAILED') ?? null;
}

/** Throws conflict unless the number is greater than those of all other versions. */
async function requireGreater(
  queries: Queries,
  serviceId: string,
  { version }: VersionWithBuild,
  wanted: string,
): Promise<void> {
  const others = (await everyVersion(queries, serviceId)).filter((one) => one.version !== version);
  nextVersion(
    others.map((one) => one.version),
    wanted,
  );
}

/** Adds the next version as a draft, which `insert` writes; once for each Idempotency-Key. Throws conflict. */
export async function addDraft(
  platform: Platform,
  { owner, serviceId, wanted, request, content }: NextVersion,
  insert: (transaction: Queries, number: string) => Promise<unknown>,
  replace: Replace | null = null,
): Promise<Answer> {
  try {
    const same = `${content}${wanted ?? ''}`;
    return await once(platform, request, `versions of ${serviceId}`, same, async (transaction) => {
      const service = await requireService(transaction, owner, serviceId);
      const failed = replace && (await failedDraft(transaction, serviceId));
      const number = failed ? (wanted ?? failed.version) : await nextNumber(transaction, serviceId, wanted);
      if (failed && number !== failed.version) await requireGreater(transaction, serviceId, failed, number);
      await (replace && failed ? replace(transaction, failed, number) : insert(transaction, number));
      const row = await findVersion(transaction, serviceId, number);
      if (!row) throw new Error('The version that was just inserted is not there');
      const location = `${platform.addresses.api}/services/${serviceId}/versions/${number}`;
      return { status: 201, body: presentVersion(row, service, platform), headers: { location } };
    });
  } catch (error) {
    if (isDuplicate(error))
      throw new Problem('conflict', 'Somebody else has just added a version. Read the service again.');
    throw error;
  }
}

/** The same from an upload, which is removed unless this very request has added the version. */
export async function addUploadedDraft(
  platform: Platform,
  blob: string,
  next: NextVersion,
  insert: (transaction: Queries, number: string) => Promise<unknown>,
  replace: Replace | null = null,
): Promise<Answer> {
  try {
    return await addDraft(platform, next, insert, replace);
  } finally {
    await removeUnused(platform.database, platform.blobs, [blob]);
  }
}

/** The answer to a change of a version that is written but for its revision. */
export async function changedVersion(
  platform: Platform,
  transaction: Queries,
  { service, row }: { readonly service: ServiceRow; readonly row: VersionRow },
): Promise<Answer> {
  const revision = row.revision + 1;
  await transaction.updateTable('service_versions').set({ revision }).where('id', '=', row.id).execute();
  const changed = await findVersion(transaction, service.id, row.version);
  if (!changed) throw new Error('The version that was just changed is not there');
  return { status: 200, body: presentVersion(changed, service, platform), headers: { etag: etag(revision) } };
}
