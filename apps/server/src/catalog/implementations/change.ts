import type { Implementation, TransferRequest, UpdateImplementationRequest } from '@kethub/contract';
import { audit } from '../../people/audit/index.ts';
import { Problem, requireMatch, type Tagged } from '../../foundation/http/index.ts';
import { auditContext, isOwner, requireNewOwner } from '../../people/organizations/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import type { ImplementationRow, Queries } from '../../foundation/storage/index.ts';
import { releaseName, takeName } from './names.ts';
import { implementationTag, presentImplementation } from './present.ts';
import { presentProtection, protectionColumns } from './protection.ts';
import { namesOf } from './queries.ts';
import { requireLocked, roleOn } from './rights.ts';

/** Changes settings. A former name goes on answering. */
export function changeImplementation(
  platform: Platform,
  context: Context,
  id: string,
  change: UpdateImplementationRequest,
  ifMatch: string | undefined,
): Promise<Tagged<Implementation>> {
  const { database, addresses } = platform;
  return database.write(async (transaction) => {
    const { implementation, role } = await requireLocked(database, transaction, context, id, 'implementation:change');
    requireMatch(ifMatch, implementationTag(implementation, role));
    const branch = change.defaultBranch ?? implementation.default_branch;
    const values = {
      name: change.name ?? implementation.name,
      description: change.description ?? implementation.description,
      visibility: change.visibility ?? implementation.visibility,
      default_branch: branch,
      ...(change.protection && protectionColumns(change.protection)),
      // The role `git` finds out what the other branch holds.
      ...(branch !== implementation.default_branch && { head: null, buildable: null }),
      revision: implementation.revision + 1,
    };
    const changed = { ...implementation, ...values };
    await transaction.updateTable('implementations').set(values).where('id', '=', id).execute();
    await takeName(transaction, changed);
    const detail = { from: settingsOf(implementation), to: settingsOf(changed) };
    const owner = auditContext(implementation, context);
    await audit(platform, transaction, owner, 'implementation:change', id, detail);
    const body = presentImplementation(addresses, changed, role, await namesOf(transaction, id));
    return { body, tag: implementationTag(changed, role) };
  });
}

function settingsOf(row: ImplementationRow): object {
  const { name, visibility, default_branch: defaultBranch } = row;
  return { name, visibility, defaultBranch, protection: presentProtection(row) };
}

/** Gives up a former address, which others can take then. */
export async function releaseAddress(
  platform: Platform,
  context: Context,
  id: string,
  former: { readonly ownerId: string; readonly name: string },
): Promise<void> {
  const { database } = platform;
  await database.write(async (transaction) => {
    const { implementation } = await requireLocked(database, transaction, context, id, 'implementation:change');
    await releaseName(transaction, implementation, { owner_id: former.ownerId, name: former.name });
    const detail = { released: former.name };
    await audit(platform, transaction, auditContext(implementation, context), 'implementation:change', id, detail);
  });
}

/** Transfers an implementation to another owner. Its members stay, and its former address goes on answering. */
export function transferImplementation(
  platform: Platform,
  context: Context,
  id: string,
  to: TransferRequest,
): Promise<Implementation> {
  const { database, addresses } = platform;
  return database.write(async (transaction) => {
    const locked = await requireLocked(database, transaction, context, id, 'implementation:transfer');
    const { implementation, role: before } = locked;
    if (!isOwner(implementation, context))
      throw new Problem('not-permitted', 'Only the owner of the implementation can give it away; you are a member.');
    const owner = await requireNewOwner(platform, transaction, context, to, 'implementation:create');
    if (isOwner(implementation, to)) return presentImplementation(addresses, implementation, before);
    const values = { ...owner, revision: implementation.revision + 1 };
    const moved = { ...implementation, ...values };
    await transaction.updateTable('implementations').set(values).where('id', '=', id).execute();
    await takeName(transaction, moved);
    await endMembership(transaction, id, to);
    const detail = { name: implementation.name, from: { type: context.type, id: context.id }, to };
    await audit(platform, transaction, context, 'implementation:transfer', id, detail);
    const receiver = { ...context, type: to.type, id: to.id };
    await audit(platform, transaction, receiver, 'implementation:transfer', id, detail);
    const role = (await roleOn(transaction, moved, context)) ?? context.role;
    return presentImplementation(addresses, moved, role, await namesOf(transaction, id));
  });
}

/** Ends the membership of the new owner, who needs none. */
async function endMembership(transaction: Queries, id: string, to: TransferRequest): Promise<void> {
  await transaction
    .deleteFrom('implementation_members')
    .where('implementation_id', '=', id)
    .where('member_type', '=', to.type)
    .where('member_id', '=', to.id)
    .execute();
}

/** Deletes an implementation. The role `git` moves its folder to the trash. */
export async function deleteImplementation(platform: Platform, context: Context, id: string): Promise<void> {
  const { database } = platform;
  await database.write(async (transaction) => {
    const { implementation } = await requireLocked(database, transaction, context, id, 'implementation:delete');
    await transaction.deleteFrom('implementations').where('id', '=', id).execute();
    const detail = { name: implementation.name, bytes: implementation.bytes };
    await audit(platform, transaction, auditContext(implementation, context), 'implementation:delete', id, detail);
  });
}
