import type { ServiceVersion } from '@kethub/contract';
import { once, Problem, type IdempotencyKey } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { isDuplicate, type Queries } from '../../foundation/storage/index.ts';
import { buildPending } from './builds/index.ts';
import { isFailedDraft, type DraftWriter } from './draft-writers.ts';
import { presentVersion } from './present.ts';
import { everyVersion, findVersion, newestVersions, type VersionWithBuild } from './queries.ts';
import { nextVersion } from './version-number.ts';
import { nextNumber, requireService } from './versions.ts';

/** The next version of a service. */
export interface NewVersion {
  /** Its number; undefined for the next one. */
  readonly version: string | undefined;
  /** Two requests with the same Idempotency-Key are the same when this text and the number are. */
  readonly content: string;
  readonly writer: DraftWriter;
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

/**
 * Adds the next version as a draft, once for each Idempotency-Key. A failed draft is replaced. Throws conflict for any
 * other draft, and for a number that is not greater than the others.
 */
export async function addVersion(
  platform: Platform,
  owner: Context,
  serviceId: string,
  { version: wanted, content, writer }: NewVersion,
  key: IdempotencyKey,
): Promise<ServiceVersion> {
  try {
    const same = `${content}${wanted ?? ''}`;
    const added = await once(platform, key, `versions of ${serviceId}`, same, async (transaction) => {
      const service = await requireService(transaction, owner, serviceId);
      const versions = await newestVersions(transaction, [serviceId]);
      const failed = versions.find(isFailedDraft);
      let number: string;
      if (failed && writer.replace) {
        number = wanted ?? failed.version;
        if (number !== failed.version) await requireGreater(transaction, serviceId, failed, number);
        await writer.replace(transaction, failed, number);
      } else {
        number = await nextNumber(transaction, serviceId, wanted);
        await writer.insert(transaction, serviceId, number, versions[0]);
      }
      const row = await findVersion(transaction, serviceId, number);
      if (!row) throw new Error('The version that was just inserted is not there');
      return presentVersion(row, service, platform);
    });
    buildPending(platform.database);
    return added;
  } catch (error) {
    if (isDuplicate(error))
      throw new Problem('conflict', 'Somebody else has just added a version. Read the service again.');
    throw error;
  }
}
