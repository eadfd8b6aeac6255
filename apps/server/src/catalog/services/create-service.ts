import type { Service } from '@kethub/contract';
import { once, Problem, type IdempotencyKey } from '../../foundation/http/index.ts';
import { lockOwnerShared } from '../../people/organizations/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { isDuplicate, type Queries, type ServiceRow } from '../../foundation/storage/index.ts';
import { buildPending } from './builds/index.ts';
import { serviceAnswersOf } from './catalog.ts';
import { deleteDraft, isFailedDraft, type DraftWriter } from './draft-writers.ts';
import { presentService } from './present.ts';
import { findService, insertService, newestVersions, type VersionWithBuild } from './queries.ts';
import { slugOf } from './slug.ts';
import { requireFreeAddress } from './transfer.ts';

const FIRST_VERSION = '1.0.0';

/** A service to be created, with its first version. */
export interface NewService {
  readonly type: ServiceRow['type'];
  readonly name: string;
  readonly description: string | undefined;
  /** The number of the first version, if one was chosen. */
  readonly version: string | undefined;
  /** Two requests with the same Idempotency-Key are the same when this text is. */
  readonly content: string;
  readonly writer: DraftWriter;
}

/**
 * Creates a service with its first draft version, once for each Idempotency-Key. A service of that name whose first
 * upload has failed is replaced and keeps its id. Throws conflict.
 */
export async function createService(
  platform: Platform,
  owner: Context,
  { name, description = '', type, version, content, writer }: NewService,
  key: IdempotencyKey,
): Promise<Service> {
  const row: ServiceRow = {
    id: platform.newId(),
    owner_type: owner.type,
    owner_id: owner.id,
    name: name.trim(),
    slug: slugOf(name),
    type,
    description,
    created_at: platform.now(),
    revision: 1,
    stored_bytes: 0,
  };
  try {
    const service = await once(platform, key, serviceAnswersOf(owner), content, async (transaction) => {
      await lockOwnerShared(platform, transaction, owner);
      const failed = await failedFirst(transaction, owner, row);
      if (failed) return replaceFirst(platform, transaction, row, failed, { version, writer });
      await requireFreeAddress(transaction, row.owner_id, row.slug, row.id);
      await insertService(transaction, row);
      await writer.insert(transaction, row.id, version ?? FIRST_VERSION, undefined);
      return presentService(row, await newestVersions(transaction, [row.id]), platform);
    });
    buildPending(platform.database);
    return service;
  } catch (error) {
    if (isDuplicate(error)) {
      throw new Problem(
        'conflict',
        `You already have a service whose name becomes "${row.slug}" in its address. Choose another name, or add a version to that service.`,
      );
    }
    throw error;
  }
}

interface FailedFirst {
  readonly service: ServiceRow;
  readonly draft: VersionWithBuild;
}

/** Finds a service of the same address whose only version is a failed draft; null otherwise. */
async function failedFirst(transaction: Queries, owner: Context, { slug }: ServiceRow): Promise<FailedFirst | null> {
  const known = await transaction
    .selectFrom('services')
    .select('id')
    .where('owner_type', '=', owner.type)
    .where('owner_id', '=', owner.id)
    .where('slug', '=', slug)
    .executeTakeFirst();
  const service = known && (await findService(transaction, owner, known.id));
  const versions = service ? await newestVersions(transaction, [service.id]) : [];
  const [draft] = versions;
  return service && draft && versions.length === 1 && isFailedDraft(draft) ? { service, draft } : null;
}

async function replaceFirst(
  platform: Platform,
  transaction: Queries,
  { name, description, type }: ServiceRow,
  { service, draft }: FailedFirst,
  { version = draft.version, writer }: Pick<NewService, 'version' | 'writer'>,
): Promise<Service> {
  const values = { name, description, type, revision: service.revision + 1 };
  await transaction.updateTable('services').set(values).where('id', '=', service.id).execute();
  if (type === service.type && writer.replace) await writer.replace(transaction, draft, version);
  else {
    await deleteDraft(platform, transaction, draft);
    await writer.insert(transaction, service.id, version, undefined);
  }
  return presentService({ ...service, ...values }, await newestVersions(transaction, [service.id]), platform);
}
