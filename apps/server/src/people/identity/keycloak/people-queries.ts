import {
  isAmong,
  type Database,
  type ProviderPersonRow,
  type ProviderRoundRow,
} from '../../../foundation/storage/index.ts';
import { isApproved, type Identity } from '../identity-provider.ts';

/** The SQL of the copy of the people of an external identity provider. */

/** The approved users among these subjects, in their order; null for each other subject. */
export async function findApprovedInCopy(
  { read }: Database,
  subjects: readonly string[],
): Promise<(Identity | null)[]> {
  const rows = await read
    .selectFrom('provider_people')
    .selectAll()
    .where(isAmong(read, 'subject', subjects))
    .execute();
  const people = new Map(rows.map((row) => [row.subject, toIdentity(row)] as const));
  return subjects.map((subject) => {
    const person = people.get(subject);
    return person && isApproved(person) ? person : null;
  });
}

/** Updates these people, who were read in this round. Unchanged rows only get the number of the round. */
export async function putIntoCopy(database: Database, people: readonly Identity[], round: number): Promise<void> {
  if (people.length === 0) return;
  const rows = people.map((person) => toRow(person, round));
  const { read } = database;
  const ids = rows.map(({ subject }) => subject);
  const known = await read
    .selectFrom('provider_people')
    .selectAll()
    .where(isAmong(read, 'subject', ids))
    .execute();
  const before = new Map(known.map((row) => [row.subject, row]));
  const changed = rows.filter((row) => !isSame(row, before.get(row.subject)));
  await database.write(async (transaction) => {
    for (const row of changed)
      await transaction
        .insertInto('provider_people')
        .values(row)
        .onConflict((conflict) => conflict.column('subject').doUpdateSet(row))
        .execute();
    await transaction
      .updateTable('provider_people')
      .set({ round })
      .where(isAmong(transaction, 'subject', ids))
      .where('round', '<', round)
      .execute();
  });
}

export async function removeFromCopy(database: Database, subject: string): Promise<void> {
  const there = database.read.selectFrom('provider_people').select('subject').where('subject', '=', subject);
  if (!(await there.executeTakeFirst())) return;
  await database.write((transaction) =>
    transaction.deleteFrom('provider_people').where('subject', '=', subject).execute(),
  );
}

/** People whom the round has not seen. */
export async function listUnseen({ read }: Database, round: number, limit: number): Promise<string[]> {
  const unseen = read.selectFrom('provider_people').select('subject').where('round', '<', round);
  return (await unseen.limit(limit).execute()).map(({ subject }) => subject);
}

export function findRound({ read }: Database, issuer: string): Promise<ProviderRoundRow | undefined> {
  return read.selectFrom('provider_rounds').selectAll().where('id', '=', issuer).executeTakeFirst();
}

/** Begins a round, unless another process has a lease or has just begun one. Returns whether it was begun. */
export async function beginRound(
  database: Database,
  issuer: string,
  { holder, now, leaseMs, everyMs }: { holder: string; now: number; leaseMs: number; everyMs: number },
): Promise<boolean> {
  const taken = { holder, lease_until: now + leaseMs, began_at: now };
  const begun = await database.write((transaction) =>
    transaction
      .insertInto('provider_rounds')
      .values({ id: issuer, ...taken, complete_since: null, took_ms: 0 })
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet(taken)
          // A time further ahead was written before the clock was set back.
          .where(({ and, or, eb }) =>
            and([
              or([
                eb('provider_rounds.lease_until', '<=', now),
                eb('provider_rounds.lease_until', '>', now + 2 * leaseMs),
              ]),
              or([eb('provider_rounds.began_at', '<=', now - everyMs), eb('provider_rounds.began_at', '>', now)]),
            ]),
          ),
      )
      .returning('holder')
      .executeTakeFirst(),
  );
  return begun?.holder === holder;
}

/** Changes the round of this holder. Returns whether the holder still has the lease. */
export async function changeRound(
  database: Database,
  issuer: string,
  holder: string,
  changed: Partial<Pick<ProviderRoundRow, 'lease_until' | 'complete_since' | 'took_ms'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await database.write((transaction) =>
    transaction
      .updateTable('provider_rounds')
      .set(changed)
      .where('id', '=', issuer)
      .where('holder', '=', holder)
      .executeTakeFirst(),
  );
  return numUpdatedRows > 0n;
}

function toRow(person: Identity, round: number): ProviderPersonRow {
  const { id, username, email, firstname, lastname, status } = person;
  const flags = { email_verified: Number(person.emailVerified), enabled: Number(person.enabled) };
  return { subject: id, username, email, firstname, lastname, status, ...flags, round };
}

function toIdentity(row: ProviderPersonRow): Identity {
  const { subject, username, email, firstname, lastname, status } = row;
  const flags = { emailVerified: row.email_verified === 1, enabled: row.enabled === 1 };
  return { id: subject, username, email, firstname, lastname, status, ...flags };
}

function isSame(row: ProviderPersonRow, known: ProviderPersonRow | undefined): boolean {
  if (!known) return false;
  const { round: _round, ...fields } = row;
  return Object.entries(fields).every(([name, value]) => known[name as keyof ProviderPersonRow] === value);
}
