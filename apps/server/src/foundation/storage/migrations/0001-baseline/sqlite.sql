-- The tables of the platform on SQLite. The same schema on PostgreSQL: postgres.sql.
-- Ids and enumerations are text, times are epoch milliseconds (UTC), JSON is text, booleans are 0 or 1.
-- Columns named sealed_… hold AES-256-GCM ciphertext under the instance key.
-- A statement ends with a semicolon at the end of a line; the lines inside a statement are indented or begin with `end`.

-- === Users ===

-- Profiles. A user of an external identity provider has a row after the first visit.
create table users (
  id text primary key,
  username text not null,
  email text not null,
  firstname text not null,
  lastname text not null,
  current_position text,
  homepage text,
  about text,
  created_at bigint not null,
  updated_at bigint not null
);
create index users_by_email on users (email);

create table profile_images (
  user_id text primary key references users (id) on delete cascade,
  blob text not null,
  media_type text not null check (media_type in ('image/jpeg', 'image/png')),
  bytes bigint not null,
  digest text not null,
  created_at bigint not null
);

-- Personal access tokens. The digest identifies the token; the sealed value is kept for the default token only.
create table access_tokens (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  name text not null,
  digest text not null unique,
  sealed_value text,
  is_default bigint not null check (is_default in (0, 1)),
  created_at bigint not null,
  used_at bigint,
  expires_on text
);
create index access_tokens_of_user on access_tokens (user_id);
create unique index one_default_token on access_tokens (user_id) where is_default = 1;

-- Deletions of accounts. No foreign key: the row is written in the transaction that deletes the user, and outlives it.
create table account_deletions (
  user_id text primary key,
  image_blob text,
  recipients text not null default '[]',
  begun_at bigint not null,
  ended_at bigint
);
create index account_deletions_to_do on account_deletions (user_id) where ended_at is null;
create index account_deletions_by_end on account_deletions (ended_at);

-- === Search for users ===

-- Users whose search entry has to be renewed; written by the triggers of `identities` and `provider_people`.
create table search_changes (
  user_id text primary key
);

-- Blocks of search entries in sorted order. A search scans whole blocks.
create table user_search_blocks (
  number integer primary key,
  position integer not null,
  low text not null unique,
  entries text not null
);
create index user_search_blocks_position on user_search_blocks (position);
insert into user_search_blocks (number, position, low, entries) values (0, 0, '', '');

-- Full-text index from grams to blocks. It is contentless: it keeps the postings and not the words.
create virtual table user_search_grams using fts5(
  grams, content='', contentless_delete=1, detail=none, tokenize='ascii');

-- The search entry of each user, and the block that contains it.
create table user_search (
  user_id text primary key references users (id) on delete cascade,
  mark text not null unique,
  search_text text not null,
  block integer not null references user_search_blocks (number)
) without rowid;
create trigger user_search_removed after delete on user_search begin
  update user_search_blocks
  set entries = replace(entries, char(1) || old.search_text || char(2) || old.mark, '') where number = old.block;
end;

-- === Sign-in ===

-- Accounts of the embedded identity provider.
create table identities (
  id text primary key,
  username text not null unique,
  email text not null unique,
  email_verified bigint not null,
  firstname text not null,
  lastname text not null,
  password_hash text not null,
  status text not null check (status in ('PENDING', 'APPROVED', 'REJECTED')),
  enabled bigint not null,
  created_at bigint not null
);
create index identities_by_status on identities (status, id);

-- Registrations whose email address is not confirmed. Several may name the same address or username: it belongs to the
-- person who confirms the address first.
create table registrations (
  id text primary key,
  username text not null,
  email text not null,
  firstname text not null,
  lastname text not null,
  password_hash text not null,
  created_at bigint not null
);
create index registrations_of_email on registrations (email, id);
create index registrations_of_username on registrations (username, id);
create index registrations_by_age on registrations (created_at);

-- Tokens sent by mail. No foreign key: the subject is a registration or an identity.
create table mail_tokens (
  digest text primary key,
  purpose text not null check (purpose in ('VERIFY_EMAIL', 'SET_PASSWORD')),
  subject text not null,
  expires_at bigint not null
);
create index mail_tokens_of_subject on mail_tokens (subject);
create index mail_tokens_by_expiry on mail_tokens (expires_at);

-- Mails that have not been delivered to the mail server. `recipient` is a keyed hash of the address.
create table outgoing_mails (
  id text primary key,
  sealed_content text not null,
  created_at bigint not null,
  due_at bigint not null,
  attempts bigint not null,
  expires_at bigint not null,
  recipient text
);
create index outgoing_mails_by_due on outgoing_mails (due_at);
create index outgoing_mails_of_recipient on outgoing_mails (recipient);

-- Accounts of upstream OpenID providers that sign in to an identity.
create table sign_in_links (
  issuer text not null,
  subject text not null,
  identity_id text not null references identities (id) on delete cascade,
  created_at bigint not null,
  primary key (issuer, subject)
);
create index sign_in_links_of_identity on sign_in_links (identity_id);

-- Records of the OpenID provider: sessions, grants, codes, tokens.
create table oidc_records (
  model text not null,
  id text not null,
  payload text not null,
  grant_id text,
  user_code text,
  uid text,
  account_id text,
  consumed_at bigint,
  expires_at bigint,
  primary key (model, id)
);
create index oidc_records_of_grant on oidc_records (grant_id);
create index oidc_records_of_uid on oidc_records (uid);
create index oidc_records_of_account on oidc_records (account_id);
create index oidc_records_by_expiry on oidc_records (expires_at);

-- Recent wrong passwords.
create table sign_in_failures (
  key text primary key,
  failures bigint not null,
  expires_at bigint not null
);
create index sign_in_failures_by_end on sign_in_failures (expires_at);

-- Networks from which an account has signed in.
create table sign_in_networks (
  key text primary key,
  expires_at bigint not null
);
create index sign_in_networks_by_end on sign_in_networks (expires_at);

-- Keys that sign tokens.
create table signing_keys (
  id text primary key,
  purpose text not null,
  sealed_private_key text not null,
  created_at bigint not null
);

-- === External identity provider ===

-- Leases on decisions about a registration, for providers without compare-and-set.
create table registration_decisions (
  subject text primary key,
  holder text not null,
  expires_at bigint not null
);

-- Copy of the users of the external identity provider. `round` is the time of the last reading that contained the user.
create table provider_people (
  subject text primary key,
  username text not null,
  email text not null,
  email_verified integer not null,
  firstname text not null,
  lastname text not null,
  status text not null,
  enabled integer not null,
  round bigint not null
);
create index provider_people_by_round on provider_people (round);

-- Progress and lease of the repeated reading of all users of one issuer.
create table provider_rounds (
  id text primary key,
  holder text not null,
  lease_until bigint not null,
  began_at bigint not null,
  complete_since bigint,
  took_ms bigint not null
);

-- Approved users who are new or have another name are noted in `search_changes`.
-- The inserts have no OR IGNORE: the conflict clause of the statement that fires the trigger would replace it.
create trigger identities_searched_insert after insert on identities
  when new.status = 'APPROVED' and new.enabled = 1 begin
  insert into search_changes (user_id)
  select new.id where not exists (select 1 from search_changes where user_id = new.id);
end;
create trigger identities_searched_update after update on identities
  when new.status = 'APPROVED' and new.enabled = 1 and (
    old.username <> new.username or old.firstname <> new.firstname or old.lastname <> new.lastname or
    old.status <> new.status or old.enabled <> new.enabled) begin
  insert into search_changes (user_id)
  select new.id where not exists (select 1 from search_changes where user_id = new.id);
end;
create trigger provider_people_searched_insert after insert on provider_people
  when new.status = 'APPROVED' and new.enabled = 1 begin
  insert into search_changes (user_id)
  select new.subject where not exists (select 1 from search_changes where user_id = new.subject);
end;
create trigger provider_people_searched_update after update on provider_people
  when new.status = 'APPROVED' and new.enabled = 1 and (
    old.username <> new.username or old.firstname <> new.firstname or old.lastname <> new.lastname or
    old.status <> new.status or old.enabled <> new.enabled) begin
  insert into search_changes (user_id)
  select new.subject where not exists (select 1 from search_changes where user_id = new.subject);
end;

-- === Organizations and audit ===
-- No foreign keys to `users`: a member may come from an external identity provider and never have visited.

create table organizations (
  id text primary key,
  name text not null,
  created_at bigint not null,
  revision bigint not null
);

create table memberships (
  organization_id text not null references organizations (id) on delete cascade,
  user_id text not null,
  role text not null check (role in ('VIEWER', 'MAINTAINER', 'OWNER')),
  created_at bigint not null,
  primary key (organization_id, user_id)
);
create index memberships_of_user on memberships (user_id);

create table invitations (
  id text primary key,
  organization_id text not null references organizations (id) on delete cascade,
  email text not null,
  role text not null check (role in ('VIEWER', 'MAINTAINER', 'OWNER')),
  invited_by text not null,
  created_at bigint not null,
  expires_at bigint not null,
  unique (organization_id, email)
);
create index invitations_by_email on invitations (email);

-- The audit log. No foreign keys: an entry outlives its resource.
-- Repeated events are merged into one entry with the same `merged_under`; `times` counts them.
create table audit_entries (
  id text primary key,
  owner_type text not null check (owner_type in ('USER', 'ORGANIZATION')),
  owner_id text not null,
  actor_id text not null,
  action text not null,
  resource_id text not null,
  detail text not null,
  created_at bigint not null,
  merged_under text,
  times bigint not null default 1,
  last_at bigint
);
create index audit_entries_of_owner on audit_entries (owner_type, owner_id, id);
create index audit_entries_of_action on audit_entries (owner_type, owner_id, action, id);
create index audit_entries_of_resource on audit_entries (owner_type, owner_id, resource_id, id);
create index audit_entries_by_age on audit_entries (created_at);
create unique index audit_entries_merged on audit_entries (merged_under);

-- === Services ===

create table services (
  id text primary key,
  owner_type text not null check (owner_type in ('USER', 'ORGANIZATION')),
  owner_id text not null,
  name text not null,
  slug text not null,
  type text not null check (type in ('MANAGED', 'ON_PREMISE', 'WORKFLOW')),
  description text not null,
  created_at bigint not null,
  revision bigint not null,
  -- Bytes of the sources and build logs of all versions; kept by triggers.
  stored_bytes bigint not null default 0,
  unique (owner_type, owner_id, slug)
);
create index services_of_owner on services (owner_type, owner_id, id);

create table service_versions (
  id text primary key,
  service_id text not null references services (id) on delete cascade,
  version text not null,
  state text not null check (state in ('DRAFT', 'PUBLISHED', 'RETIRED')),
  visibility text not null check (visibility in ('NONE', 'INTERNAL')),
  configuration text not null,
  -- The configured runtime; a column because workers select work by it.
  runtime text not null default 'PYTHON_TEMPLATE',
  source_blob text not null,
  source_bytes bigint not null,
  source_digest text not null,
  build_id text not null,
  -- Bytes of the logs of its builds; kept by triggers.
  build_log_bytes bigint not null default 0,
  code text,
  -- The layer of installed packages that the code needs.
  layer text,
  parameters text,
  derived_schemas text,
  created_at bigint not null,
  published_at bigint,
  deprecated_at bigint,
  sunset_at bigint,
  revision bigint not null,
  unique (service_id, version)
);
create unique index one_draft on service_versions (service_id) where state = 'DRAFT';
create index service_versions_by_id on service_versions (service_id, id);
create index service_versions_of_layer on service_versions (layer) where layer is not null;

-- Addresses under which a service was reachable before it was transferred to another owner.
create table former_addresses (
  owner_id text not null,
  slug text not null,
  service_id text not null references services (id) on delete cascade,
  primary key (owner_id, slug)
);
create index former_addresses_of_service on former_addresses (service_id);

-- Uploaded OpenAPI documents of versions.
create table api_specifications (
  service_version_id text primary key references service_versions (id) on delete cascade,
  document text not null
);

-- Addresses of on-premise services.
create table on_premise_targets (
  service_version_id text primary key references service_versions (id) on delete cascade,
  url text not null,
  timeout_ms bigint not null,
  sealed_credentials text
);

create table builds (
  id text primary key,
  service_version_id text not null references service_versions (id) on delete cascade,
  status text not null check (status in ('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED')),
  created_at bigint not null,
  started_at bigint,
  ended_at bigint,
  problem text,
  log text,
  log_blob text,
  log_bytes bigint,
  worker_id text,
  -- Resources of the worker that are reserved for the build.
  cpus double precision,
  memory_bytes bigint
);
create index builds_to_do on builds (created_at) where status in ('PENDING', 'RUNNING');
create index builds_of_version on builds (service_version_id);

-- Time of the last build of each owner: builds are scheduled round-robin over owners.
create table build_turns (
  owner_id text not null primary key,
  turn_at bigint not null
);

-- Layers of installed packages on each worker. `wanted` is what an administrator has requested (PURGE, REBUILD).
create table layers (
  worker_id text not null,
  layer text not null,
  python text not null,
  platform text not null,
  packages text not null,
  bytes bigint not null,
  created_at bigint not null,
  used_at bigint not null,
  wanted text,
  problem text,
  primary key (worker_id, layer)
);

-- Shares of services. No foreign key to `users`: a recipient may come from an external identity provider.
create table shares (
  id text primary key,
  service_id text not null references services (id) on delete cascade,
  user_id text,
  organization_id text references organizations (id) on delete cascade,
  start_at bigint,
  end_at bigint,
  created_at bigint not null,
  revision bigint not null,
  check ((user_id is null) <> (organization_id is null))
);
create index shares_of_service on shares (service_id, id);
create index shares_with_user on shares (user_id, service_id) where user_id is not null;
create index shares_with_organization on shares (organization_id, service_id) where organization_id is not null;

-- Credentials of owners at providers of quantum computers.
create table provider_access_tokens (
  owner_type text not null check (owner_type in ('USER', 'ORGANIZATION')),
  owner_id text not null,
  provider text not null,
  sealed_credentials text not null,
  hint text not null,
  created_at bigint not null,
  updated_at bigint not null,
  revision bigint not null,
  primary key (owner_type, owner_id, provider)
);

-- === Marketplace ===

-- Offers of services. `number` is the row of the full-text index.
create table listings (
  number integer primary key,
  id text not null unique,
  service_id text not null unique references services (id) on delete cascade,
  service_version_id text not null references service_versions (id) on delete cascade,
  title text not null,
  summary text not null,
  documentation text not null,
  categories text not null,
  pricing_plans text not null,
  provider_name text not null,
  search_text text not null,
  provider_text text not null,
  created_at bigint not null,
  updated_at bigint not null,
  revision bigint not null
);
create index listings_of_version on listings (service_version_id);

-- Full-text index of trigrams, kept by triggers.
create virtual table listing_index using fts5(
  search_text, provider_text, content='listings', content_rowid='number', tokenize='trigram case_sensitive 1');
create trigger listing_added after insert on listings begin
  insert into listing_index (rowid, search_text, provider_text)
  values (new.number, new.search_text, new.provider_text);
end;
create trigger listing_removed after delete on listings begin
  insert into listing_index (listing_index, rowid, search_text, provider_text)
  values ('delete', old.number, old.search_text, old.provider_text);
end;
create trigger listing_changed after update of search_text, provider_text on listings begin
  insert into listing_index (listing_index, rowid, search_text, provider_text)
  values ('delete', old.number, old.search_text, old.provider_text);
  insert into listing_index (rowid, search_text, provider_text)
  values (new.number, new.search_text, new.provider_text);
end;

-- Index of one and two characters, which the trigram index cannot find: the blocks of listings that contain them.
create table listing_grams (
  gram integer not null,
  block integer not null,
  primary key (gram, block)
) without rowid;

create table listing_categories (
  category text not null,
  listing_id text not null references listings (id) on delete cascade,
  primary key (category, listing_id)
);
create index listing_categories_of_listing on listing_categories (listing_id);

-- === Applications and subscriptions ===

create table applications (
  id text primary key,
  owner_type text not null check (owner_type in ('USER', 'ORGANIZATION')),
  owner_id text not null,
  name text not null,
  created_at bigint not null,
  revision bigint not null
);
create index applications_of_owner on applications (owner_type, owner_id);

create table access_keys (
  id text primary key,
  application_id text not null references applications (id) on delete cascade,
  access_key_id text not null unique,
  secret_digest text not null,
  sealed_secret text not null,
  secret_hint text not null,
  created_at bigint not null,
  expires_at bigint
);
create index access_keys_of_application on access_keys (application_id);

create table subscriptions (
  id text primary key,
  application_id text not null references applications (id) on delete cascade,
  service_id text not null references services (id) on delete cascade,
  service_version_id text not null references service_versions (id) on delete cascade,
  basis text not null default 'INTERNAL' check (basis in ('INTERNAL', 'SHARE', 'MARKETPLACE')),
  created_at bigint not null,
  unique (application_id, service_version_id)
);
create index subscriptions_of_version on subscriptions (service_version_id);
create index subscriptions_of_service on subscriptions (service_id, id);

-- Limits for each subscription to a service, unless the subscription has its own.
create table service_limits (
  service_id text primary key references services (id) on delete cascade,
  requests_per_minute bigint,
  executions_per_day bigint,
  executions_per_month bigint,
  -- Concurrent executions of all versions of the service.
  executions_at_once bigint
);

create table subscription_limits (
  subscription_id text primary key references subscriptions (id) on delete cascade,
  requests_per_minute bigint,
  executions_per_day bigint,
  executions_per_month bigint
);

-- Executions counted against a quota, per day (2026-11-21) and per month (2026-11).
create table execution_counts (
  subscription_id text not null references subscriptions (id) on delete cascade,
  period text not null,
  taken bigint not null,
  primary key (subscription_id, period)
);

-- Users who are rejected or disabled: their applications may not call anything.
create table blocked_users (
  user_id text primary key,
  blocked_at bigint not null
);

-- Log of the changes that decide over the calls of applications. Gateways read it to invalidate their caches.
create table access_changes (
  number integer primary key autoincrement,
  application_id text not null,
  created_at bigint not null
);
create index access_changes_by_age on access_changes (created_at);

-- Changes of an application, its access keys and its subscriptions.
create trigger applications_update_changes_access after update on applications begin
  insert into access_changes (application_id, created_at) values (new.id, unixepoch() * 1000);
end;
create trigger applications_delete_changes_access after delete on applications begin
  insert into access_changes (application_id, created_at) values (old.id, unixepoch() * 1000);
end;
create trigger access_keys_insert_changes_access after insert on access_keys begin
  insert into access_changes (application_id, created_at) values (new.application_id, unixepoch() * 1000);
end;
create trigger access_keys_update_changes_access after update on access_keys begin
  insert into access_changes (application_id, created_at) values (new.application_id, unixepoch() * 1000);
end;
create trigger access_keys_delete_changes_access after delete on access_keys begin
  insert into access_changes (application_id, created_at) values (old.application_id, unixepoch() * 1000);
end;
create trigger subscriptions_insert_changes_access after insert on subscriptions begin
  insert into access_changes (application_id, created_at) values (new.application_id, unixepoch() * 1000);
end;
create trigger subscriptions_update_changes_access after update on subscriptions begin
  insert into access_changes (application_id, created_at) values (new.application_id, unixepoch() * 1000);
end;
create trigger subscriptions_delete_changes_access after delete on subscriptions begin
  insert into access_changes (application_id, created_at) values (old.application_id, unixepoch() * 1000);
end;

-- Changes of a service concern all applications that subscribe to it.
create trigger services_update_changes_access after update on services begin
  insert into access_changes (application_id, created_at)
  select distinct application_id, unixepoch() * 1000 from subscriptions where service_id = new.id;
end;
create trigger service_versions_update_changes_access after update on service_versions begin
  insert into access_changes (application_id, created_at)
  select distinct application_id, unixepoch() * 1000 from subscriptions where service_id = new.service_id;
end;
create trigger service_versions_delete_changes_access after delete on service_versions begin
  insert into access_changes (application_id, created_at)
  select distinct application_id, unixepoch() * 1000 from subscriptions where service_id = old.service_id;
end;
create trigger former_addresses_insert_changes_access after insert on former_addresses begin
  insert into access_changes (application_id, created_at)
  select distinct application_id, unixepoch() * 1000 from subscriptions where service_id = new.service_id;
end;
create trigger former_addresses_delete_changes_access after delete on former_addresses begin
  insert into access_changes (application_id, created_at)
  select distinct application_id, unixepoch() * 1000 from subscriptions where service_id = old.service_id;
end;
create trigger shares_insert_changes_access after insert on shares begin
  insert into access_changes (application_id, created_at)
  select distinct application_id, unixepoch() * 1000 from subscriptions where service_id = new.service_id;
end;
create trigger shares_update_changes_access after update on shares begin
  insert into access_changes (application_id, created_at)
  select distinct application_id, unixepoch() * 1000 from subscriptions where service_id = new.service_id;
end;
create trigger shares_delete_changes_access after delete on shares begin
  insert into access_changes (application_id, created_at)
  select distinct application_id, unixepoch() * 1000 from subscriptions where service_id = old.service_id;
end;

-- Changes of limits.
create trigger service_limits_insert_changes_access after insert on service_limits begin
  insert into access_changes (application_id, created_at)
  select application_id, unixepoch() * 1000
  from (select distinct application_id from subscriptions where service_id = new.service_id);
end;
create trigger service_limits_update_changes_access after update on service_limits begin
  insert into access_changes (application_id, created_at)
  select application_id, unixepoch() * 1000
  from (select distinct application_id from subscriptions where service_id = new.service_id);
end;
create trigger subscription_limits_insert_changes_access after insert on subscription_limits begin
  insert into access_changes (application_id, created_at)
  select application_id, unixepoch() * 1000
  from (select application_id from subscriptions where id = new.subscription_id);
end;
create trigger subscription_limits_update_changes_access after update on subscription_limits begin
  insert into access_changes (application_id, created_at)
  select application_id, unixepoch() * 1000
  from (select application_id from subscriptions where id = new.subscription_id);
end;

-- Blocking and unblocking a user concerns all applications of the user.
create trigger blocked_users_insert_changes_access after insert on blocked_users begin
  insert into access_changes (application_id, created_at)
  select id, unixepoch() * 1000 from applications where owner_type = 'USER' and owner_id = new.user_id;
end;
create trigger blocked_users_delete_changes_access after delete on blocked_users begin
  insert into access_changes (application_id, created_at)
  select id, unixepoch() * 1000 from applications where owner_type = 'USER' and owner_id = old.user_id;
end;

-- === Metering ===
-- No foreign keys: what was agreed and used outlives subscription, application and service.

-- The plan under which a subscription was made, as it was then.
create table accepted_plans (
  subscription_id text primary key,
  application_id text not null,
  service_id text not null,
  service_version_id text not null,
  service_name text not null,
  version text not null,
  type text not null check (type in ('FREE', 'COMMERCIAL')),
  pricing_plan text not null,
  consumer_type text not null check (consumer_type in ('USER', 'ORGANIZATION')),
  consumer_id text not null,
  provider_type text not null check (provider_type in ('USER', 'ORGANIZATION')),
  provider_id text not null,
  accepted_at bigint not null
);
create index accepted_plans_of_application on accepted_plans (application_id);
create index accepted_plans_of_service on accepted_plans (service_id);

-- Usage. `amount` is in millionths of the unit.
create table usage_records (
  id text primary key,
  subscription_id text not null,
  application_id text not null,
  service_id text not null,
  service_version_id text not null,
  execution_id text,
  product text not null,
  amount bigint not null check (amount >= 0),
  unit_price text,
  currency text,
  test bigint not null check (test in (0, 1)),
  consumer_type text not null check (consumer_type in ('USER', 'ORGANIZATION')),
  consumer_id text not null,
  provider_type text not null check (provider_type in ('USER', 'ORGANIZATION')),
  provider_id text not null,
  occurred_at bigint not null,
  created_at bigint not null,
  day bigint generated always as (occurred_at / 86400000) stored,
  unique (execution_id, product)
);

-- Usage of a month (UTC), summed by triggers: a month of a million records is read from a few rows.
-- `micros` is the remainder below a unit.
create table usage_sums (
  consumer_type text not null,
  consumer_id text not null,
  provider_type text not null,
  provider_id text not null,
  month text not null,
  subscription_id text not null,
  product text not null,
  shard bigint not null,
  records bigint not null,
  units bigint not null,
  micros bigint not null,
  primary key (consumer_type, consumer_id, month, subscription_id, product, provider_type, provider_id, shard)
) without rowid;
create index usage_sums_of_provider on usage_sums
  (provider_type, provider_id, month, subscription_id, product, consumer_type, consumer_id, shard);
create trigger usage_insert_is_added_up after insert on usage_records when new.test = 0 begin
  insert into usage_sums (consumer_type, consumer_id, provider_type, provider_id, month, subscription_id, product, shard,
    records, units, micros)
  values (new.consumer_type, new.consumer_id, new.provider_type, new.provider_id,
    strftime('%Y-%m', new.occurred_at / 1000, 'unixepoch'), new.subscription_id, new.product, 0,
    1, (new.amount / 1000000), (new.amount % 1000000))
  on conflict do update set records = usage_sums.records + excluded.records,
    units = usage_sums.units + excluded.units, micros = usage_sums.micros + excluded.micros;
end;
create trigger usage_delete_is_added_up after delete on usage_records when old.test = 0 begin
  insert into usage_sums (consumer_type, consumer_id, provider_type, provider_id, month, subscription_id, product, shard,
    records, units, micros)
  values (old.consumer_type, old.consumer_id, old.provider_type, old.provider_id,
    strftime('%Y-%m', old.occurred_at / 1000, 'unixepoch'), old.subscription_id, old.product, 0,
    -1, -(old.amount / 1000000), -(old.amount % 1000000))
  on conflict do update set records = usage_sums.records + excluded.records,
    units = usage_sums.units + excluded.units, micros = usage_sums.micros + excluded.micros;
end;

-- === Data pools ===
-- No foreign keys to users or organizations: their deletion removes them from the members.

create table data_pools (
  id text primary key,
  owner_type text not null check (owner_type in ('USER', 'ORGANIZATION')),
  owner_id text not null,
  name text not null,
  description text not null,
  short_description text not null default '',
  tags text not null default '[]',
  files bigint not null check (files >= 0),
  bytes bigint not null check (bytes >= 0),
  created_at bigint not null,
  revision bigint not null
);
create index data_pools_of_owner on data_pools (owner_type, owner_id, id);

create table data_pool_members (
  data_pool_id text not null references data_pools (id) on delete cascade,
  member_type text not null check (member_type in ('USER', 'ORGANIZATION')),
  member_id text not null,
  role text not null check (role in ('VIEWER', 'MAINTAINER', 'OWNER')),
  created_at bigint not null,
  primary key (data_pool_id, member_type, member_id)
);
create index data_pools_of_member on data_pool_members (member_type, member_id, data_pool_id);

create table data_pool_files (
  id text primary key,
  data_pool_id text not null references data_pools (id) on delete cascade,
  name text not null,
  blob text not null,
  bytes bigint not null,
  media_type text not null,
  digest text not null,
  created_at bigint not null,
  updated_at bigint not null,
  unique (data_pool_id, name)
);
create index data_pool_files_in_order on data_pool_files (data_pool_id, id);

-- === Workers ===

-- `beats` grows while the worker lives. Workers with the same `machine` share its resources.
create table workers (
  id text primary key,
  host text not null,
  machine text,
  beats bigint not null,
  seen_at bigint not null,
  lost_at bigint,
  -- 1 if the worker can run containers.
  containers bigint not null default 0,
  -- JSON list of the versions of Python that services can have there; null before the worker has reported them.
  pythons text,
  cpus double precision,
  memory_bytes bigint,
  gpus text
);

-- Logs that are being written by one process and read by another, and the copies of their lines.
create table followed_logs (
  log_id text primary key,
  copied bigint not null,
  asked bigint not null,
  answered bigint not null
);
create table log_copies (
  log_id text not null,
  from_byte bigint not null,
  next_byte bigint not null,
  text text not null,
  primary key (log_id, from_byte)
);

-- === Executions ===
-- No foreign keys to subscriptions, applications and services: the record of an execution outlives them.

create table executions (
  id text primary key,
  -- Null for an execution that a person has started.
  subscription_id text,
  application_id text,
  owner_type text check (owner_type in ('USER', 'ORGANIZATION')),
  owner_id text,
  person_id text,
  service_id text,
  service_version_id text not null,
  type text not null default 'MANAGED' check (type in ('MANAGED', 'WORKFLOW')),
  status text not null check (status in ('PENDING', 'RUNNING', 'SUCCEEDED', 'CANCELLED', 'FAILED', 'UNKNOWN')),
  trace_parent text,
  created_at bigint not null,
  started_at bigint,
  ended_at bigint,
  cancel_requested_at bigint,
  expired_at bigint,
  -- The worker, and what it has reserved for the execution; null until the execution is claimed.
  worker_id text,
  cpus double precision,
  memory_bytes bigint,
  gpus bigint,
  gpu_type text,
  run_seconds bigint,
  -- Input, result and log are text in the row, or lie in a blob.
  input text,
  input_blob text,
  input_bytes bigint,
  input_digest text,
  sealed_secrets text,
  data_pools text,
  tags text,
  result text,
  result_blob text,
  result_bytes bigint,
  file_bytes bigint,
  cause text,
  record text,
  log text,
  log_blob text,
  log_bytes bigint,
  check ((status in ('PENDING', 'RUNNING')) = (ended_at is null)),
  check (status <> 'RUNNING' or started_at is not null)
);
create index executions_of_subscription on executions (subscription_id, id) where subscription_id is not null;
create index executions_of_owner on executions (owner_type, owner_id, id);
create index executions_of_owner_by_service on executions (owner_type, owner_id, service_id, id);
create index executions_of_service on executions (service_id, id);
-- Includes the time although ids are in its order: PostgreSQL would use the primary key if it expects most rows to wait.
create index executions_pending on executions (owner_id, service_version_id, created_at, id) where status = 'PENDING';
create index executions_running on executions (worker_id, owner_id, service_id, cpus, memory_bytes)
  where status = 'RUNNING';
-- Cancelled executions count against their worker until their processes are gone.
create index executions_ending on executions (ended_at, owner_id, service_id, cpus, memory_bytes)
  where status = 'CANCELLED' and worker_id is not null and log is null and log_blob is null;
create index executions_kept on executions (owner_id, ended_at, service_id)
  where ended_at is not null and expired_at is null;

create table execution_files (
  execution_id text not null references executions (id) on delete cascade,
  name text not null,
  blob text not null,
  bytes bigint not null,
  primary key (execution_id, name)
);

-- Tags, beside the columns that decide who may see the execution: a list of one tag is read from one index.
create table execution_tags (
  execution_id text not null references executions (id) on delete cascade,
  tag text not null,
  subscription_id text,
  owner_type text,
  owner_id text,
  primary key (execution_id, tag)
);
create index execution_tags_of_owner on execution_tags (owner_type, owner_id, tag, execution_id);
create index execution_tags_of_subscription on execution_tags (subscription_id, tag, execution_id)
  where subscription_id is not null;

-- The pending executions of one owner for one service version. A trigger creates the queue of every pending execution.
-- The scheduler deletes an empty one.
create table queues (
  owner_id text not null,
  service_version_id text not null,
  service_id text,
  turn_at bigint not null,
  primary key (owner_id, service_version_id)
);
create index queues_by_turn on queues (turn_at, owner_id, service_version_id);
create trigger executions_insert_queues after insert on executions when new.status = 'PENDING' begin
  insert into queues (owner_id, service_version_id, service_id, turn_at)
  select new.owner_id, new.service_version_id, new.service_id, new.created_at
  where not exists (select 1 from queues where owner_id = new.owner_id and service_version_id = new.service_version_id);
end;
create trigger executions_update_queues after update of status on executions when new.status = 'PENDING' begin
  insert into queues (owner_id, service_version_id, service_id, turn_at)
  select new.owner_id, new.service_version_id, new.service_id, new.created_at
  where not exists (select 1 from queues where owner_id = new.owner_id and service_version_id = new.service_version_id);
end;

-- === Workflows ===

-- The workflow of a version.
create table workflow_versions (
  service_version_id text primary key references service_versions (id) on delete cascade,
  application_id text,
  process_id text,
  requirements text,
  problems text not null
);

-- Instances: the one of an execution, and those that its call activities have started.
create table workflow_instances (
  id text primary key,
  execution_id text not null references executions (id) on delete cascade,
  -- Type and id of the owner: instances are advanced round-robin over owners.
  owner text not null default '',
  parent_id text references workflow_instances (id) on delete cascade,
  parent_child bigint,
  service_version_id text not null,
  process_id text,
  depth bigint not null,
  phase text not null,
  revision bigint not null,
  incidents bigint not null,
  state text,
  bytes bigint not null,
  sealed_secrets text,
  created_at bigint not null,
  ended_at bigint
);
create index workflow_instances_of_execution on workflow_instances (execution_id);
create index workflow_instances_of_parent on workflow_instances (parent_id) where parent_id is not null;
create index workflow_instances_with_incidents on workflow_instances (service_version_id, id) where incidents > 0;
create index workflow_instances_of_version on workflow_instances (service_version_id, id);

-- Events that no step has processed yet.
create table workflow_events (
  id text primary key,
  instance_id text not null references workflow_instances (id) on delete cascade,
  dedupe_key text,
  event text not null,
  bytes bigint not null,
  owner text not null default ''
);
create unique index workflow_events_once on workflow_events (dedupe_key) where dedupe_key is not null;
create index workflow_events_of_instance on workflow_events (instance_id, id);
create index workflow_events_of_owner on workflow_events (owner, id);

create table workflow_journal (
  instance_id text not null references workflow_instances (id) on delete cascade,
  seq bigint not null,
  at bigint not null,
  type text not null,
  entry text not null,
  primary key (instance_id, seq)
);

-- Service calls of instances. The id of a job is the id of the execution that it starts, so it is started once.
create table workflow_jobs (
  id text primary key,
  instance_id text not null references workflow_instances (id) on delete cascade,
  owner text not null default '',
  job bigint not null,
  element_id text not null,
  state text not null,
  service text not null,
  input text,
  application_id text,
  due bigint not null,
  attempts bigint not null,
  locked_until bigint not null,
  -- Grows whenever a process claims the job: writes of an earlier holder are rejected.
  lease bigint not null default 0,
  -- The process that is sending the start of a service elsewhere. No other process touches the job while it may live.
  caller text,
  -- The version that runs elsewhere: its job is cancelled when the subscription ends.
  service_version_id text,
  address text
);
create unique index workflow_jobs_of_instance on workflow_jobs (instance_id, job);
-- Nearly every job is due at once; the index contains the others.
create index workflow_jobs_due on workflow_jobs (due, id)
  where due > 0 and state in ('OPEN', 'ENDED', 'CANCELLING', 'REMOTE');
create index workflow_jobs_of_owner on workflow_jobs (owner, due, id)
  where state in ('OPEN', 'ENDED', 'CANCELLING', 'REMOTE');
create index workflow_jobs_of_caller on workflow_jobs (caller) where caller is not null;

-- The end of an execution marks its job in the same transaction.
create trigger executions_end_workflow_jobs after update of ended_at on executions
  when new.ended_at is not null and old.ended_at is null begin
  update workflow_jobs set state = 'ENDED', due = 0, locked_until = 0 where id = new.id and state = 'STARTED';
end;

-- The state of a large instance in parts: a step writes the parts that it changes.
create table workflow_state_parts (
  instance_id text not null references workflow_instances (id) on delete cascade,
  part text not null,
  text text not null,
  primary key (instance_id, part)
);

create table workflow_timers (
  instance_id text not null references workflow_instances (id) on delete cascade,
  timer bigint not null,
  element_id text not null,
  due bigint not null,
  attempts bigint not null default 0,
  primary key (instance_id, timer)
);
create index workflow_timers_due on workflow_timers (due, instance_id);

-- Message subscriptions of instances.
create table workflow_subscriptions (
  instance_id text not null references workflow_instances (id) on delete cascade,
  subscription bigint not null,
  element_id text not null,
  service_id text not null,
  message_name text not null,
  correlation_key text not null,
  primary key (instance_id, subscription)
);
create index workflow_subscriptions_by_key
  on workflow_subscriptions (service_id, message_name, correlation_key, instance_id);

-- Published messages. A message with an id stays until it expires, also when it is correlated: a repetition is rejected.
create table workflow_messages (
  id text primary key,
  service_id text not null references services (id) on delete cascade,
  -- The subscription of the application that published it: only instances started through it are meant.
  subscription_id text,
  name text not null,
  correlation_key text not null,
  variables text not null,
  message_id text,
  created_at bigint not null,
  expires_at bigint not null,
  correlated_at bigint,
  -- The owner of the instance that has thrown the message, until it is published.
  owner text,
  depth bigint not null default 0
);
create unique index workflow_messages_once on workflow_messages
  (service_id, name, correlation_key, message_id, coalesce(subscription_id, '')) where message_id is not null;
create index workflow_messages_of_subscription on workflow_messages (subscription_id) where subscription_id is not null;
create index workflow_messages_expiry on workflow_messages (expires_at);
create index workflow_messages_open on workflow_messages (id) where correlated_at is null;
create index workflow_messages_thrown on workflow_messages (owner, id) where owner is not null;
create index workflow_messages_kept on workflow_messages (service_id) where depth > 0;

-- Signal subscriptions of instances. A signal reaches what was there when it was broadcast, up to the highest position.
create table workflow_signal_subscriptions (
  position integer primary key autoincrement,
  instance_id text not null references workflow_instances (id) on delete cascade,
  subscription bigint not null,
  element_id text not null,
  service_id text not null,
  signal_name text not null,
  -- The owner of the instance and, where an application has started it, the subscription.
  runs_for text not null
);
create unique index workflow_signal_subscriptions_of_instance
  on workflow_signal_subscriptions (instance_id, subscription);
create index workflow_signal_subscriptions_by_name on workflow_signal_subscriptions (service_id, signal_name, position);
create index workflow_signal_subscriptions_by_owner
  on workflow_signal_subscriptions (service_id, signal_name, runs_for, position);

-- Signal start events of the version of each service that was deployed last.
create table workflow_signal_starts (
  service_version_id text not null references service_versions (id) on delete cascade,
  element_id text not null,
  service_id text not null,
  signal_name text not null,
  primary key (service_version_id, element_id)
);
create index workflow_signal_starts_by_name on workflow_signal_starts (service_id, signal_name);

-- Signals that have not reached everything yet. A signal is delivered service by service, by ascending position.
create table workflow_signals (
  id text primary key,
  owner text not null,
  -- The only instances that it reaches, of the service at which it is. Null: those of all services of the owner.
  runs_for text,
  person_id text,
  name text not null,
  variables text not null,
  -- The instance that has thrown it, and its number there.
  instance_id text,
  signal bigint,
  depth bigint not null,
  last_position bigint not null,
  service_id text not null,
  position bigint not null,
  created_at bigint not null
);
create index workflow_signals_of_owner on workflow_signals (owner, id);

-- The last instance that a message start event has started for a correlation key. At most one is active for each key.
create table workflow_start_keys (
  start_key text primary key,
  instance_id text not null references workflow_instances (id) on delete cascade
);
create index workflow_start_keys_of_instance on workflow_start_keys (instance_id);

-- The next due time of each timer start event of a published version.
create table workflow_schedules (
  service_version_id text not null references service_versions (id) on delete cascade,
  element_id text not null,
  due bigint not null,
  timer text,
  attempts bigint not null default 0,
  failure text,
  stopped_at bigint,
  primary key (service_version_id, element_id)
);
create index workflow_schedules_due on workflow_schedules (due);

-- === Platform ===

-- Facts that all processes on this database share; one row.
create table installation (
  id text primary key check (id = 'this'),
  sealed_check text not null,
  blob_store text not null,
  created_at bigint not null
);

-- Responses to requests with an idempotency key.
create table idempotency_keys (
  scope text not null,
  key text not null,
  digest text not null,
  answer text not null,
  created_at bigint not null,
  primary key (scope, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Blobs that no row refers to: not yet, or no longer.
create table orphan_blobs (
  blob text primary key,
  marked_at bigint not null
);
create index orphan_blobs_by_age on orphan_blobs (marked_at);

-- Days that an owner keeps executions: for all services (an empty `service_id`), or for one.
create table retention_rules (
  owner_type text not null,
  owner_id text not null,
  service_id text not null,
  keep_days bigint not null,
  primary key (owner_type, owner_id, service_id)
);

-- === Storage quotas ===

-- Quotas of single owners, set by administrators. Null is no limit.
create table storage_quotas (
  owner_type text not null,
  owner_id text not null,
  bytes bigint,
  primary key (owner_type, owner_id)
);

-- Bytes that each owner stores, counted by triggers in the transaction that writes them.
create table storage_use (
  owner_type text not null,
  owner_id text not null,
  shard bigint not null,
  inputs bigint not null default 0,
  results bigint not null default 0,
  files bigint not null default 0,
  logs bigint not null default 0,
  data_pools bigint not null default 0,
  services bigint not null default 0,
  primary key (owner_type, owner_id, shard)
);

-- Executions: input, result (with cause and record), result files and log.
create trigger executions_insert_is_stored after insert on executions when true begin
  insert into storage_use (owner_type, owner_id, shard, inputs, results, files, logs)
  select new.owner_type, new.owner_id, 0,
    coalesce(length(cast(new.input as blob)), 0) + case when new.input_blob is null then 0 else coalesce(new.input_bytes, 0) end,
    coalesce(length(cast(new.result as blob)), 0) + case when new.result_blob is null then 0 else coalesce(new.result_bytes, 0) end
      + coalesce(length(cast(new.cause as blob)), 0) + coalesce(length(cast(new.record as blob)), 0),
    coalesce(new.file_bytes, 0),
    coalesce(length(cast(new.log as blob)), 0) + case when new.log_blob is null then 0 else coalesce(new.log_bytes, 0) end
  where new.owner_id is not null
  on conflict (owner_type, owner_id, shard) do update set
    inputs = storage_use.inputs + excluded.inputs, results = storage_use.results + excluded.results,
    files = storage_use.files + excluded.files, logs = storage_use.logs + excluded.logs;
end;
create trigger executions_update_is_stored after
  update of input, input_blob, result, result_blob, log, log_blob, cause, record, file_bytes on executions
  when
    ((coalesce(length(cast(new.input as blob)), 0) + case when new.input_blob is null then 0 else coalesce(new.input_bytes, 0) end)
      - (coalesce(length(cast(old.input as blob)), 0) + case when old.input_blob is null then 0 else coalesce(old.input_bytes, 0) end)) <> 0 or
    ((coalesce(length(cast(new.result as blob)), 0) + case when new.result_blob is null then 0 else coalesce(new.result_bytes, 0) end
        + coalesce(length(cast(new.cause as blob)), 0) + coalesce(length(cast(new.record as blob)), 0))
      - (coalesce(length(cast(old.result as blob)), 0) + case when old.result_blob is null then 0 else coalesce(old.result_bytes, 0) end
        + coalesce(length(cast(old.cause as blob)), 0) + coalesce(length(cast(old.record as blob)), 0))) <> 0 or
    ((coalesce(new.file_bytes, 0))
      - (coalesce(old.file_bytes, 0))) <> 0 or
    ((coalesce(length(cast(new.log as blob)), 0) + case when new.log_blob is null then 0 else coalesce(new.log_bytes, 0) end)
      - (coalesce(length(cast(old.log as blob)), 0) + case when old.log_blob is null then 0 else coalesce(old.log_bytes, 0) end)) <> 0
  begin
  insert into storage_use (owner_type, owner_id, shard, inputs, results, files, logs)
  select new.owner_type, new.owner_id, 0,
    (coalesce(length(cast(new.input as blob)), 0) + case when new.input_blob is null then 0 else coalesce(new.input_bytes, 0) end)
      - (coalesce(length(cast(old.input as blob)), 0) + case when old.input_blob is null then 0 else coalesce(old.input_bytes, 0) end),
    (coalesce(length(cast(new.result as blob)), 0) + case when new.result_blob is null then 0 else coalesce(new.result_bytes, 0) end
        + coalesce(length(cast(new.cause as blob)), 0) + coalesce(length(cast(new.record as blob)), 0))
      - (coalesce(length(cast(old.result as blob)), 0) + case when old.result_blob is null then 0 else coalesce(old.result_bytes, 0) end
        + coalesce(length(cast(old.cause as blob)), 0) + coalesce(length(cast(old.record as blob)), 0)),
    (coalesce(new.file_bytes, 0))
      - (coalesce(old.file_bytes, 0)),
    (coalesce(length(cast(new.log as blob)), 0) + case when new.log_blob is null then 0 else coalesce(new.log_bytes, 0) end)
      - (coalesce(length(cast(old.log as blob)), 0) + case when old.log_blob is null then 0 else coalesce(old.log_bytes, 0) end)
  where new.owner_id is not null
  on conflict (owner_type, owner_id, shard) do update set
    inputs = storage_use.inputs + excluded.inputs, results = storage_use.results + excluded.results,
    files = storage_use.files + excluded.files, logs = storage_use.logs + excluded.logs;
end;
create trigger executions_delete_is_stored after delete on executions when true begin
  insert into storage_use (owner_type, owner_id, shard, inputs, results, files, logs)
  select old.owner_type, old.owner_id, 0,
    -(coalesce(length(cast(old.input as blob)), 0) + case when old.input_blob is null then 0 else coalesce(old.input_bytes, 0) end),
    -(coalesce(length(cast(old.result as blob)), 0) + case when old.result_blob is null then 0 else coalesce(old.result_bytes, 0) end
      + coalesce(length(cast(old.cause as blob)), 0) + coalesce(length(cast(old.record as blob)), 0)),
    -(coalesce(old.file_bytes, 0)),
    -(coalesce(length(cast(old.log as blob)), 0) + case when old.log_blob is null then 0 else coalesce(old.log_bytes, 0) end)
  where old.owner_id is not null
  on conflict (owner_type, owner_id, shard) do update set
    inputs = storage_use.inputs + excluded.inputs, results = storage_use.results + excluded.results,
    files = storage_use.files + excluded.files, logs = storage_use.logs + excluded.logs;
end;

-- Data pools.
create trigger data_pools_insert_is_stored after insert on data_pools when new.bytes > 0 begin
  insert into storage_use (owner_type, owner_id, shard, data_pools)
  select new.owner_type, new.owner_id, 0, new.bytes where new.owner_id is not null
  on conflict (owner_type, owner_id, shard) do update set data_pools = storage_use.data_pools + excluded.data_pools;
end;
create trigger data_pools_update_is_stored after update of bytes, owner_type, owner_id on data_pools
  when old.bytes <> new.bytes or old.owner_id <> new.owner_id or old.owner_type <> new.owner_type begin
  insert into storage_use (owner_type, owner_id, shard, data_pools)
  select old.owner_type, old.owner_id, 0, -old.bytes where old.owner_id is not null
  on conflict (owner_type, owner_id, shard) do update set data_pools = storage_use.data_pools + excluded.data_pools;
  insert into storage_use (owner_type, owner_id, shard, data_pools)
  select new.owner_type, new.owner_id, 0, new.bytes where new.owner_id is not null
  on conflict (owner_type, owner_id, shard) do update set data_pools = storage_use.data_pools + excluded.data_pools;
end;
create trigger data_pools_delete_is_stored after delete on data_pools when old.bytes > 0 begin
  insert into storage_use (owner_type, owner_id, shard, data_pools)
  select old.owner_type, old.owner_id, 0, -old.bytes where old.owner_id is not null
  on conflict (owner_type, owner_id, shard) do update set data_pools = storage_use.data_pools + excluded.data_pools;
end;

-- Services.
create trigger services_insert_is_stored after insert on services when new.stored_bytes > 0 begin
  insert into storage_use (owner_type, owner_id, shard, services)
  select new.owner_type, new.owner_id, 0, new.stored_bytes where new.owner_id is not null
  on conflict (owner_type, owner_id, shard) do update set services = storage_use.services + excluded.services;
end;
create trigger services_update_is_stored after update of stored_bytes, owner_type, owner_id on services
  when old.stored_bytes <> new.stored_bytes or old.owner_id <> new.owner_id or old.owner_type <> new.owner_type begin
  insert into storage_use (owner_type, owner_id, shard, services)
  select old.owner_type, old.owner_id, 0, -old.stored_bytes where old.owner_id is not null
  on conflict (owner_type, owner_id, shard) do update set services = storage_use.services + excluded.services;
  insert into storage_use (owner_type, owner_id, shard, services)
  select new.owner_type, new.owner_id, 0, new.stored_bytes where new.owner_id is not null
  on conflict (owner_type, owner_id, shard) do update set services = storage_use.services + excluded.services;
end;
create trigger services_delete_is_stored after delete on services when old.stored_bytes > 0 begin
  insert into storage_use (owner_type, owner_id, shard, services)
  select old.owner_type, old.owner_id, 0, -old.stored_bytes where old.owner_id is not null
  on conflict (owner_type, owner_id, shard) do update set services = storage_use.services + excluded.services;
end;

-- Versions: the sum of their service. Nothing happens while the service is deleted with its versions.
create trigger service_versions_insert_is_stored after insert on service_versions when true begin
  update services set stored_bytes = stored_bytes + (new.source_bytes + new.build_log_bytes)
  where id = new.service_id;
end;
create trigger service_versions_update_is_stored after update of source_bytes, build_log_bytes on service_versions
  when true begin
  update services set stored_bytes = stored_bytes +
    ((new.source_bytes + new.build_log_bytes) - (old.source_bytes + old.build_log_bytes))
  where id = new.service_id;
end;
create trigger service_versions_delete_is_stored after delete on service_versions when true begin
  update services set stored_bytes = stored_bytes + (-(old.source_bytes + old.build_log_bytes))
  where id = old.service_id;
end;

-- Builds: the sum of their version.
create trigger builds_update_is_stored after update of log, log_blob on builds when true begin
  update service_versions set build_log_bytes = build_log_bytes + (
    (coalesce(length(cast(new.log as blob)), 0) + case when new.log_blob is null then 0 else coalesce(new.log_bytes, 0) end)
    - (coalesce(length(cast(old.log as blob)), 0) + case when old.log_blob is null then 0 else coalesce(old.log_bytes, 0) end))
  where id = new.service_version_id;
end;
create trigger builds_delete_is_stored after delete on builds when true begin
  update service_versions set build_log_bytes = build_log_bytes + (
    -(coalesce(length(cast(old.log as blob)), 0) + case when old.log_blob is null then 0 else coalesce(old.log_bytes, 0) end))
  where id = old.service_version_id;
end;
