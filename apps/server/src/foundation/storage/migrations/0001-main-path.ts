import { sql, type Kysely } from 'kysely';

/** One text for SQLite and PostgreSQL: TEXT, BIGINT, CHECK, foreign keys and plain indexes only. */
const statements = [
  `create table users (
    id text primary key, username text not null, email text not null, firstname text not null, lastname text not null,
    current_position text, homepage text, about text, created_at bigint not null, updated_at bigint not null)`,
  `create table access_tokens (
    id text primary key, user_id text not null references users (id) on delete cascade, name text not null,
    digest text not null unique, sealed_value text, is_default bigint not null check (is_default in (0, 1)),
    created_at bigint not null, used_at bigint, expires_on text)`,
  `create index access_tokens_of_user on access_tokens (user_id)`,
  `create unique index one_default_token on access_tokens (user_id) where is_default = 1`,
  `create table identities (
    id text primary key, username text not null unique, email text not null unique, email_verified bigint not null,
    firstname text not null, lastname text not null, password_hash text not null,
    status text not null check (status in ('PENDING', 'APPROVED', 'REJECTED')), enabled bigint not null, created_at bigint not null)`,
  `create table oidc_records (
    model text not null, id text not null, payload text not null, grant_id text, user_code text, uid text,
    consumed_at bigint, expires_at bigint, primary key (model, id))`,
  `create index oidc_records_of_grant on oidc_records (grant_id)`,
  `create index oidc_records_of_uid on oidc_records (uid)`,
  `create index oidc_records_by_expiry on oidc_records (expires_at)`,
  `create table signing_keys (id text primary key, purpose text not null, sealed_private_key text not null, created_at bigint not null)`,
  `create table services (
    id text primary key, owner_type text not null check (owner_type in ('USER', 'ORGANIZATION')), owner_id text not null,
    name text not null, slug text not null, type text not null check (type in ('MANAGED', 'ON_PREMISE', 'WORKFLOW')),
    description text not null, created_at bigint not null, revision bigint not null, unique (owner_type, owner_id, slug))`,
  `create table service_versions (
    id text primary key, service_id text not null references services (id) on delete cascade, version text not null,
    state text not null check (state in ('DRAFT', 'PUBLISHED', 'RETIRED')),
    visibility text not null check (visibility in ('NONE', 'INTERNAL')), configuration text not null, source_blob text not null,
    source_bytes bigint not null, source_digest text not null, build_id text not null, code text, parameters text, created_at bigint not null,
    published_at bigint, revision bigint not null, unique (service_id, version))`,
  `create unique index one_draft on service_versions (service_id) where state = 'DRAFT'`,
  `create table builds (
    id text primary key, service_version_id text not null references service_versions (id) on delete cascade,
    status text not null check (status in ('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED')), created_at bigint not null,
    started_at bigint, ended_at bigint, problem text, log text, log_blob text)`,
  `create index builds_to_do on builds (created_at) where status in ('PENDING', 'RUNNING')`,
  `create index builds_of_version on builds (service_version_id)`,
  `create table applications (
    id text primary key, owner_type text not null check (owner_type in ('USER', 'ORGANIZATION')), owner_id text not null,
    name text not null, created_at bigint not null, revision bigint not null)`,
  `create index applications_of_owner on applications (owner_type, owner_id)`,
  `create table access_keys (
    id text primary key, application_id text not null references applications (id) on delete cascade,
    access_key_id text not null unique, secret_digest text not null, sealed_secret text not null, secret_hint text not null,
    created_at bigint not null, expires_at bigint)`,
  `create index access_keys_of_application on access_keys (application_id)`,
  `create table subscriptions (
    id text primary key, application_id text not null references applications (id) on delete cascade,
    service_id text not null references services (id) on delete cascade,
    service_version_id text not null references service_versions (id) on delete cascade, created_at bigint not null,
    unique (application_id, service_version_id))`,
  `create index subscriptions_of_version on subscriptions (service_version_id)`,
  // No foreign keys: the record of an execution outlives the subscription that started it.
  `create table executions (
    id text primary key, subscription_id text not null, application_id text not null, service_version_id text not null,
    status text not null check (status in ('PENDING', 'RUNNING', 'SUCCEEDED', 'CANCELLED', 'FAILED', 'UNKNOWN')),
    created_at bigint not null, started_at bigint, ended_at bigint, worker_id text, cancel_requested_at bigint,
    input text, input_blob text, sealed_secrets text, result text, result_blob text, cause text, log text, log_blob text,
    check ((status in ('PENDING', 'RUNNING')) = (ended_at is null)), check (status <> 'RUNNING' or started_at is not null))`,
  `create index executions_of_subscription on executions (subscription_id, id)`,
  `create index executions_pending on executions (id) where status = 'PENDING'`,
  `create index executions_running on executions (worker_id) where status = 'RUNNING'`,
  `create table execution_files (
    execution_id text not null references executions (id) on delete cascade, name text not null, blob text not null,
    bytes bigint not null, primary key (execution_id, name))`,
  `create table idempotency_keys (
    scope text not null, key text not null, digest text not null, answer text not null, created_at bigint not null,
    primary key (scope, key))`,
  `create index idempotency_keys_by_age on idempotency_keys (created_at)`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
