import {
  toTimestamp,
  type ImplementationImport,
  type ImportImplementationRequest,
  type RestartImportRequest,
} from '@kethub/contract';
import { Problem, once, type IdempotencyKey } from '../../../foundation/http/index.ts';
import type { Context, Platform } from '../../../foundation/platform.ts';
import type { ImplementationImportRow, Queries } from '../../../foundation/storage/index.ts';
import { audit } from '../../../people/audit/index.ts';
import { auditContext, lockOwnerShared } from '../../../people/organizations/index.ts';
import { implementationAnswersOf } from '../catalog.ts';
import { insertImplementation } from '../create.ts';
import { requireImplementation, requireLocked } from '../rights.ts';
import { requireImportUrl } from './address.ts';
import { sealCredential } from './credential.ts';
import { openForPushes } from './records.ts';

/** Creates an implementation that is filled from another repository. The role `git` begins within a second. */
export function importImplementation(
  platform: Platform,
  owner: Context,
  asked: ImportImplementationRequest,
  idempotencyKey: IdempotencyKey,
): Promise<ImplementationImport> {
  const { configuration } = platform;
  const { name, description = '', visibility = 'PRIVATE', mirror = false, credential } = asked;
  const url = requireImportUrl(asked.url, configuration.repositories.importNetworks);
  const body = JSON.stringify([url, name, description, visibility, mirror]);
  const scope = implementationAnswersOf(owner);
  return once(platform, idempotencyKey, scope, body, async (transaction) => {
    await lockOwnerShared(platform, transaction, owner);
    const read_only = mirror ? ('MIRROR' as const) : ('IMPORT' as const);
    const { id } = await insertImplementation(platform, transaction, owner, {
      name,
      description,
      visibility,
      read_only,
    });
    const now = platform.now();
    const row: ImplementationImportRow = {
      implementation_id: id,
      url,
      sealed_credential: sealCredential(platform, credential),
      mirror: mirror ? 1 : 0,
      state: 'PENDING',
      progress: null,
      problem: null,
      failures: 0,
      next_at: now,
      set_by: owner.personId,
      created_at: now,
      started_at: null,
      ended_at: null,
    };
    await transaction.insertInto('implementation_imports').values(row).execute();
    await audit(platform, transaction, owner, 'implementation:import', id, { name, visibility, url, mirror });
    return present(row);
  });
}

/** Reads how far an import is. */
export async function readImport({ database }: Platform, context: Context, id: string): Promise<ImplementationImport> {
  await requireImplementation(database.read, context, id, 'implementation-import:read');
  return present(await requireImport(database.read, id));
}

/** Runs an import again that has failed, or a mirror now. A credential that is given replaces the one that is kept. */
export function restartImport(
  platform: Platform,
  context: Context,
  id: string,
  { credential }: RestartImportRequest,
): Promise<ImplementationImport> {
  const { database, now } = platform;
  return database.write(async (transaction) => {
    const { implementation } = await requireLocked(database, transaction, context, id, 'implementation-import:change');
    const before = await requireImport(transaction, id);
    if (before.state === 'RUNNING' || before.state === 'PENDING')
      throw new Problem('conflict', 'The import is under way already.');
    if (!before.mirror && (before.state === 'SUCCEEDED' || implementation.pushed_at !== null))
      throw new Problem(
        'conflict',
        'The import is over, and a second one would overwrite what was pushed since. Import into a new implementation.',
      );
    const values = {
      state: 'PENDING' as const,
      progress: null,
      problem: null,
      failures: 0,
      next_at: now(),
      set_by: context.personId,
      ...(credential && { sealed_credential: sealCredential(platform, credential) }),
    };
    const row = await transaction
      .updateTable('implementation_imports')
      .set(values)
      .where('implementation_id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const read_only = row.mirror ? ('MIRROR' as const) : ('IMPORT' as const);
    await transaction.updateTable('implementations').set({ read_only }).where('id', '=', id).execute();
    const detail = { url: row.url, mirror: row.mirror === 1, again: true };
    await audit(platform, transaction, auditContext(implementation, context), 'implementation:import', id, detail);
    return present(row);
  });
}

/** Ends a mirror, or breaks an import off. What has arrived stays, and members can push. */
export async function endImport(platform: Platform, context: Context, id: string): Promise<void> {
  const { database } = platform;
  await database.write(async (transaction) => {
    const { implementation } = await requireLocked(database, transaction, context, id, 'implementation-import:change');
    const { url } = await requireImport(transaction, id);
    await transaction.deleteFrom('implementation_imports').where('implementation_id', '=', id).execute();
    await openForPushes(transaction, id);
    const detail = { url, ended: true };
    await audit(platform, transaction, auditContext(implementation, context), 'implementation:import', id, detail);
  });
}

async function requireImport(queries: Queries, id: string): Promise<ImplementationImportRow> {
  const row = await queries
    .selectFrom('implementation_imports')
    .selectAll()
    .where('implementation_id', '=', id)
    .executeTakeFirst();
  if (row) return row;
  throw new Problem('not-found', 'The implementation was not imported, and mirrors no other repository.');
}

function present(row: ImplementationImportRow): ImplementationImport {
  return {
    implementationId: row.implementation_id,
    url: row.url,
    mirror: row.mirror === 1,
    state: row.state,
    progress: row.progress,
    problem: row.problem,
    failures: row.failures,
    createdAt: toTimestamp(row.created_at),
    ...(row.started_at !== null && { startedAt: toTimestamp(row.started_at) }),
    ...(row.ended_at !== null && { endedAt: toTimestamp(row.ended_at) }),
    ...(row.next_at !== null && row.state !== 'RUNNING' && { nextAt: toTimestamp(row.next_at) }),
  };
}
