import type { CreateImplementationRequest, Implementation } from '@kethub/contract';
import { audit } from '../../people/audit/index.ts';
import { once, type IdempotencyKey } from '../../foundation/http/index.ts';
import { lockOwnerShared } from '../../people/organizations/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { ImplementationRow, Queries } from '../../foundation/storage/index.ts';
import { implementationAnswersOf } from './catalog.ts';
import { takeName } from './names.ts';
import { presentImplementation } from './present.ts';

const DEFAULT_BRANCH = 'main';

/** Creates an empty implementation. Its folder is made when somebody first pushes to it or clones it. */
export function createImplementation(
  platform: Platform,
  owner: Context,
  asked: CreateImplementationRequest,
  idempotencyKey: IdempotencyKey,
): Promise<Implementation> {
  const { addresses } = platform;
  const { name, description = '', visibility = 'PRIVATE', defaultBranch = DEFAULT_BRANCH } = asked;
  const body = JSON.stringify([name, description, visibility, defaultBranch]);
  const scope = implementationAnswersOf(owner);
  return once(platform, idempotencyKey, scope, body, async (transaction) => {
    await lockOwnerShared(platform, transaction, owner);
    const row = await insertImplementation(platform, transaction, owner, {
      name,
      description,
      visibility,
      default_branch: defaultBranch,
    });
    await audit(platform, transaction, owner, 'implementation:create', row.id, { name, visibility });
    return presentImplementation(addresses, row, owner.role);
  });
}

/** Inserts an implementation, which takes its name. Call `lockOwnerShared` before. */
export async function insertImplementation(
  platform: Platform,
  transaction: Queries,
  owner: Context,
  values: Pick<ImplementationRow, 'name' | 'description' | 'visibility'> &
    Partial<Pick<ImplementationRow, 'default_branch' | 'read_only'>>,
): Promise<ImplementationRow> {
  const row: ImplementationRow = {
    id: platform.newId(),
    owner_type: owner.type,
    owner_id: owner.id,
    default_branch: DEFAULT_BRANCH,
    head: null,
    buildable: null,
    bytes: 0,
    pushed_at: null,
    created_at: platform.now(),
    revision: 1,
    read_only: null,
    protects_default: 1,
    protected_patterns: '[]',
    ...values,
  };
  await transaction.insertInto('implementations').values(row).execute();
  await takeName(transaction, row);
  return row;
}
