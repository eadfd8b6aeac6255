import {
  approvalStatuses,
  type ApprovalStatus,
  type ChangeRegistrationRequest,
  type Layer,
  type Registration,
} from '@kethub/contract';
import { type Command, Option } from 'commander';
import { CliFailure } from '../failures.ts';
import { openSession, type Session } from '../platform/session.ts';
import { addCommand, outputOf, positiveInteger, type CommonOptions, type Shell } from '../shell.ts';
import { sizeText } from '../terminal/size.ts';
import { table } from '../terminal/table.ts';
import { addBackup } from './admin-backup.ts';
import { addPlatformStatus } from './admin-status.ts';
import { storageSize } from './storage.ts';

interface RegistrationsOptions extends CommonOptions {
  readonly status?: ApprovalStatus;
  readonly limit: number;
}

interface QuotaOptions extends CommonOptions {
  readonly organization?: boolean;
}

const decisions: readonly [name: string, description: string, change: ChangeRegistrationRequest][] = [
  ['approve', 'approve a user, also one who was rejected', { status: 'APPROVED' }],
  ['reject', 'reject the PENDING registration of a user', { status: 'REJECTED' }],
  ['disable', 'disable the account of a user: sign-in, open sessions and tokens are refused', { enabled: false }],
  ['enable', 'enable the account of a user again', { enabled: true }],
];

/** Commands for administrators of the platform. */
export function addAdmin(program: Command, shell: Shell): void {
  const admin = program
    .command('admin')
    .description('administer the platform: its state, registrations, quotas, executions, layers and backups');
  addPlatformStatus(admin, shell);
  addCommand(admin, 'registrations', 'list users with the status of their registration')
    .addOption(new Option('--status <status>', 'list only registrations of this status').choices(approvalStatuses))
    .option('--limit <number>', 'largest number of entries', positiveInteger, 100)
    .action((options: RegistrationsOptions) => registrations(shell, options));
  addCommand(admin, 'renew-keys', 'renew the keys that sign tokens now; nobody is signed out').action(
    (options: CommonOptions) => renewKeys(shell, options),
  );
  addCommand(admin, 'quota <owner> <size>', 'set the storage quota of one user or organization')
    .option('--organization', 'the owner is an organization (an id) instead of a user (an e-mail address or an id)')
    .addHelpText(
      'after',
      '\nThe size is a number with a unit, such as 500GB; none means no limit, and default the quota of the installation.',
    )
    .action((owner: string, size: string, options: QuotaOptions) => setQuota(shell, owner, size, options));
  addCommand(admin, 'recount-storage', 'count the storage use of every owner again, and correct the counters').action(
    (options: CommonOptions) => recountStorage(shell, options),
  );
  addCommand(
    admin,
    'end-execution <id>',
    'end an execution of any owner and free its slot; a running execution becomes UNKNOWN',
  ).action((id: string, options: CommonOptions) => endExecution(shell, id, options));
  addCommand(
    admin,
    'layers',
    'list the layers of all workers: installed packages that versions of services share',
  ).action((options: CommonOptions) => layers(shell, options));
  addCommand(admin, 'rebuild-layer <id>', 'install a layer again from its recorded hashes').action(
    (id: string, options: CommonOptions) => changeLayer(shell, id, 'rebuildLayer', options),
  );
  addCommand(
    admin,
    'purge-layer <id>',
    'remove a layer from all workers; it is installed again when a service needs it',
  ).action((id: string, options: CommonOptions) => changeLayer(shell, id, 'purgeLayer', options));
  for (const [name, description, change] of decisions)
    addCommand(admin, `${name} <person>`, `${description} (an e-mail address or an id)`).action(
      (person: string, options: CommonOptions) => decide(shell, person, change, options),
    );
  addBackup(admin, shell);
}

async function registrations(shell: Shell, { status, limit, ...options }: RegistrationsOptions): Promise<void> {
  const { platform } = await openSession(shell);
  // The platform's pages have at most 1,000 entries.
  const people = await platform.listRegistrations({ status, limit: Math.min(limit, 1_000) });
  const output = outputOf(shell, options);
  if (people.length === 0) output.note('Nobody.');
  const header = ['E-MAIL', 'USERNAME', 'NAME', 'STATUS', 'REGISTERED (UTC)'];
  const rows = people.map((one) => [
    one.email,
    one.username,
    `${one.firstname} ${one.lastname}`,
    accountStateOf(one),
    one.createdAt ?? '',
  ]);
  output.result(people.length === 0 ? '' : table(header, rows), people);
}

async function renewKeys(shell: Shell, options: CommonOptions): Promise<void> {
  const { platform } = await openSession(shell);
  const renewed = await platform.renewSigningKeys();
  const rows = renewed.map(({ use, signsAt }) => [use, signsAt]);
  outputOf(shell, options).result(table(['SIGNS', 'FROM (UTC)'], rows), renewed);
}

async function setQuota(shell: Shell, owner: string, size: string, options: QuotaOptions): Promise<void> {
  const { organization = false, ...common } = options;
  const quotaBytes = size === 'default' ? undefined : storageSize(size);
  const session = await openSession(shell);
  const ownerId = organization ? owner : await idOf(session, owner);
  const type = organization ? 'ORGANIZATION' : 'USER';
  const set = await session.platform.setStorageQuota({
    ownerType: type,
    ownerId,
    json: quotaBytes === undefined ? {} : { quotaBytes },
  });
  const quota = set.quotaBytes === null ? 'as much as it likes' : sizeText(set.quotaBytes);
  outputOf(shell, common).result(`${owner} may keep ${quota}, and keeps ${sizeText(set.usedBytes)}.`, set);
}

async function recountStorage(shell: Shell, options: CommonOptions): Promise<void> {
  const { platform } = await openSession(shell);
  const { owners, corrected } = await platform.recountStorage();
  const rows = corrected.map((one) => [one.ownerType, one.ownerId, sizeText(one.before), sizeText(one.after)]);
  const output = outputOf(shell, options);
  output.note(`Counted ${owners} owners; ${corrected.length} counts were wrong and are corrected.`);
  output.result(rows.length === 0 ? '' : table(['OWNER', 'ID', 'COUNTED', 'IS'], rows), { owners, corrected });
}

async function endExecution(shell: Shell, id: string, options: CommonOptions): Promise<void> {
  const { platform } = await openSession(shell);
  const ended = await platform.endExecution({ executionId: id });
  outputOf(shell, options).result(`${ended.id} is ${ended.status}; its slot is free within seconds.`, ended);
}

async function layers(shell: Shell, options: CommonOptions): Promise<void> {
  const { platform } = await openSession(shell);
  const found = await platform.listLayers();
  const output = outputOf(shell, options);
  if (found.length === 0) output.note('No packages are installed.');
  output.result(found.length === 0 ? '' : layerTable(found), found);
}

async function changeLayer(
  shell: Shell,
  id: string,
  change: 'rebuildLayer' | 'purgeLayer',
  options: CommonOptions,
): Promise<void> {
  const { platform } = await openSession(shell);
  const changed = await platform[change]({ layerId: id });
  outputOf(shell, options).result(layerTable(changed), changed);
}

function layerTable(found: readonly Layer[]): string {
  const header = ['ID', 'PYTHON', 'MB', 'VERSIONS', 'USED (UTC)', 'STATE', 'PACKAGES'];
  const rows = found.map(({ id, python, bytes, versions, usedAt, wanted, problem, packages }) => [
    id,
    python,
    String(Math.ceil(bytes / 2 ** 20)),
    String(versions),
    usedAt,
    wanted ?? (problem === undefined ? 'ready' : `ready; not rebuilt: ${problem}`),
    packages.map((one) => one.split(' ')[0]).join(', '),
  ]);
  return table(header, rows);
}

async function decide(
  shell: Shell,
  person: string,
  change: ChangeRegistrationRequest,
  options: CommonOptions,
): Promise<void> {
  const session = await openSession(shell);
  const changed = await session.platform.changeRegistration({ id: await idOf(session, person), json: change });
  const { username, email } = changed;
  outputOf(shell, options).result(`${username} (${email}) is ${accountStateOf(changed)}.`, changed);
}

async function idOf({ platform }: Session, person: string): Promise<string> {
  if (!person.includes('@')) return person;
  const [found] = await platform.listRegistrations({ email: person });
  if (found) return found.id;
  throw new CliFailure('notFound', 'not-found', `Nobody has registered with the e-mail address ${person}.`, [
    'ket admin registrations',
  ]);
}

function accountStateOf({ status, enabled, emailVerified }: Registration): string {
  return [status, ...(emailVerified ? [] : ['address not confirmed']), ...(enabled ? [] : ['switched off'])].join(', ');
}
