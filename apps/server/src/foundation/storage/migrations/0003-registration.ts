import { sql, type Kysely } from 'kysely';

const statements = [
  // Several may hold one address or username: it belongs to whoever confirms the address first.
  `create table registrations (
    id text primary key, username text not null, email text not null, firstname text not null, lastname text not null,
    password_hash text not null, created_at bigint not null)`,
  `create index registrations_of_email on registrations (email, id)`,
  `create index registrations_of_username on registrations (username, id)`,
  `create index registrations_by_age on registrations (created_at)`,
  // No foreign key: the subject is a registration, or an identity.
  `create table mail_tokens (
    digest text primary key, purpose text not null check (purpose in ('VERIFY_EMAIL', 'SET_PASSWORD')), subject text not null,
    expires_at bigint not null)`,
  `create index mail_tokens_of_subject on mail_tokens (subject)`,
  `create index mail_tokens_by_expiry on mail_tokens (expires_at)`,
  `create table outgoing_mails (
    id text primary key, sealed_content text not null, created_at bigint not null, due_at bigint not null,
    attempts bigint not null, expires_at bigint not null)`,
  `create index outgoing_mails_by_due on outgoing_mails (due_at)`,
  // The records of old do not say whose they are, so that a new password could not end them: everybody signs in again.
  `delete from oidc_records`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
