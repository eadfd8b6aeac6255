import type { Mailer } from '../../../foundation/mail/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { isAmong, type ImplementationImportRow, type Queries } from '../../../foundation/storage/index.ts';

/** The rows of imports while they run. */

/** Milliseconds between two runs of a mirror. */
const MIRROR_MS = 60 * 60_000;
/** Failed runs after which a mirror is switched off. */
const MOST_FAILURES = 10;
/** Due imports that are read at a time. */
const CHUNK = 100;
/** Milliseconds after which a mail that could not be delivered is given up. */
const MAIL_KEPT_MS = 7 * 24 * 60 * 60_000;

export type DueImport = ImplementationImportRow & { readonly owner_id: string; readonly name: string };

/** The imports that are due, also those that a process has left that was killed. The longest due come first. */
export function dueImports({ database, now }: Platform): Promise<DueImport[]> {
  return (
    database.read
      .selectFrom('implementation_imports')
      .innerJoin('implementations', 'implementations.id', 'implementation_id')
      .selectAll('implementation_imports')
      .select(['owner_id', 'name'])
      // A time further ahead was set by a clock that has since been set back.
      .where(({ or, eb }) => or([eb('next_at', '<=', now()), eb('next_at', '>', now() + 2 * MIRROR_MS)]))
      .orderBy('next_at')
      .limit(CHUNK)
      .execute()
  );
}

/** Returns the ids that have an import. */
export async function knownImports({ database }: Platform, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await database.read
    .selectFrom('implementation_imports')
    .select('implementation_id')
    .where(isAmong(database.read, 'implementation_id', [...ids]))
    .execute();
  return new Set(rows.map(({ implementation_id }) => implementation_id));
}

/** Notes that a run has begun. Returns false if it was withdrawn meanwhile. */
export async function beginImport(platform: Platform, due: DueImport): Promise<boolean> {
  const values = { state: 'RUNNING' as const, progress: null, problem: null, started_at: platform.now() };
  return (await change(platform, due.implementation_id, { ...values, ended_at: null })) > 0;
}

export async function noteStep(platform: Platform, id: string, step: string): Promise<void> {
  await platform.database.write((transaction) =>
    transaction
      .updateTable('implementation_imports')
      .set({ progress: step })
      .where('implementation_id', '=', id)
      .where('state', '=', 'RUNNING')
      .execute(),
  );
}

/** Notes a run that has succeeded. The credential stays for a mirror only. */
export async function finishImport(platform: Platform, { implementation_id: id, mirror }: DueImport): Promise<void> {
  const now = platform.now();
  await platform.database.write(async (transaction) => {
    await set(transaction, id, {
      state: 'SUCCEEDED',
      progress: null,
      problem: null,
      failures: 0,
      ended_at: now,
      next_at: mirror ? now + MIRROR_MS : null,
      ...(!mirror && { sealed_credential: null }),
    });
    if (!mirror) await openForPushes(transaction, id);
  });
}

/**
 * Notes a run that has failed. A mirror runs again in an hour; after ten failures it is off, which the person who has
 * set it learns by mail. Any other import is over, and the repository is open for pushes.
 */
export async function failImport(platform: Platform, mailer: Mailer, due: DueImport, text: string): Promise<void> {
  const { implementation_id: id, mirror, set_by } = due;
  const now = platform.now();
  const failures = due.failures + 1;
  const runsAgain = mirror === 1 && failures < MOST_FAILURES;
  await platform.database.write(async (transaction) => {
    const changed = await set(transaction, id, {
      state: 'FAILED',
      progress: null,
      problem: text,
      failures,
      ended_at: now,
      next_at: runsAgain ? now + MIRROR_MS : null,
      ...(!runsAgain && { sealed_credential: null }),
    });
    if (changed === 0) return;
    if (!mirror) await openForPushes(transaction, id);
    else if (!runsAgain) await notifyOff(platform, mailer, transaction, { ...due, set_by }, text);
  });
  mailer.wake();
}

function change(platform: Platform, id: string, values: Partial<ImplementationImportRow>): Promise<number> {
  return platform.database.write((transaction) => set(transaction, id, values));
}

async function set(transaction: Queries, id: string, values: Partial<ImplementationImportRow>): Promise<number> {
  const { numUpdatedRows } = await transaction
    .updateTable('implementation_imports')
    .set(values)
    .where('implementation_id', '=', id)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Lets members push. */
export async function openForPushes(transaction: Queries, id: string): Promise<void> {
  await transaction.updateTable('implementations').set({ read_only: null }).where('id', '=', id).execute();
}

async function notifyOff(
  { addresses, now }: Platform,
  mailer: Mailer,
  transaction: Queries,
  { set_by, name, url }: DueImport,
  text: string,
): Promise<void> {
  const person = await transaction.selectFrom('users').select('email').where('id', '=', set_by).executeTakeFirst();
  if (!person?.email) return;
  const mail = {
    to: person.email,
    subject: 'A mirror at Kethub is off',
    text: `Your implementation ${name} follows ${url}. It could not be read ${MOST_FAILURES} times in a row, so the mirror is off now. The last time:

${text}

Turn it on again, with a new credential if the server asks for one:

ket repo sync ${name}

${new URL(addresses.api).origin}
`,
  };
  await mailer.post(transaction, mail, now() + MAIL_KEPT_MS);
}
