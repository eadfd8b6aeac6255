import type { Recipient, Share } from '@kethub/contract';
import type { Command } from 'commander';
import { usageFailure } from '../failures.ts';
import { findUser } from '../platform/find-user.ts';
import { requireOwnService } from '../platform/select-service.ts';
import { openSession, type Session } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { table } from '../terminal/table.ts';

interface ShareOptions extends CommonOptions {
  readonly user?: string;
  readonly organization?: string;
  readonly from?: string;
  readonly until?: string;
  readonly change?: string;
}

export function addShare(program: Command, shell: Shell): void {
  addCommand(program, 'share <service>', 'share your service with a user or an organization')
    .option('--user <name>', 'user id, or a name that only one user has')
    .option('--organization <id>', 'organization id')
    .option('--from <date>', 'start of the share: yyyy-MM-dd, or yyyy-MM-dd HH:mm:ss (UTC)')
    .option('--until <date>', 'end of the share, in the same form; none removes it')
    .option('--change <share>', 'change the dates of this share (an id from `ket shares`) instead of creating one')
    .addHelpText(
      'after',
      `
Recipients can run the service with ket run <service> --job, published or not. Once it is published internally, their
applications can also subscribe to it. A service that runs elsewhere has no job interface: recipients can use it only
after it is published internally.`,
    )
    .action((service: string, options: ShareOptions) => share(shell, service, options));
}

async function share(shell: Shell, wanted: string, options: ShareOptions): Promise<void> {
  const startDate = dateOf('--from', options.from);
  const endDate = dateOf('--until', options.until);
  if (options.change !== undefined) return changeDates(shell, wanted, options.change, options);
  requireOneRecipient(options);
  const session = await openSession(shell);
  const service = await requireOwnService(session, wanted);
  const recipient = await recipientOf(session, options);
  const made = await session.platform.createShare({ serviceId: service.id, json: { recipient, startDate, endDate } });
  const output = outputOf(shell, options);
  if (made.status === 'NEVER_ACTIVE') output.note('It ends before it starts: this share is never active.');
  if (made.opens.length === 0)
    output.note(
      service.type === 'ON_PREMISE'
        ? 'It opens nothing yet: a service that runs elsewhere has to be published internally first.'
        : 'It opens nothing yet: no version of the service is built.',
    );
  output.result(tableOf([made]), made);
}

async function changeDates(shell: Shell, wanted: string, shareId: string, options: ShareOptions): Promise<void> {
  const { from, until, user, organization } = options;
  if (user !== undefined || organization !== undefined) throw usageFailure('The recipient of a share cannot change.');
  if (from === undefined && until === undefined) throw usageFailure('Nothing to change: --from or --until is needed.');
  const session = await openSession(shell);
  const { id: serviceId } = await requireOwnService(session, wanted);
  const changed = await session.platform.changeShare({
    serviceId,
    shareId,
    json: {
      ...(from !== undefined && { startDate: dateOf('--from', from) }),
      ...(until !== undefined && { endDate: dateOf('--until', until) }),
    },
  });
  outputOf(shell, options).result(tableOf([changed]), changed);
}

export function addShares(program: Command, shell: Shell): void {
  addCommand(program, 'shares <service>', 'list the shares of your service').action(
    (service: string, options: CommonOptions) => shares(shell, service, options),
  );
}

async function shares(shell: Shell, wanted: string, options: CommonOptions): Promise<void> {
  const session = await openSession(shell);
  const all = await session.platform.listShares({ serviceId: (await requireOwnService(session, wanted)).id });
  const output = outputOf(shell, options);
  if (all.length === 0) output.note('It is shared with nobody.');
  output.result(all.length === 0 ? '' : tableOf(all), all);
}

export function addUnshare(program: Command, shell: Shell): void {
  addCommand(program, 'unshare <service> <share>', 'remove a share (an id from `ket shares`)').action(
    (service: string, id: string, options: CommonOptions) => unshare(shell, service, id, options),
  );
}

async function unshare(shell: Shell, wanted: string, id: string, options: CommonOptions): Promise<void> {
  const session = await openSession(shell);
  const { id: serviceId } = await requireOwnService(session, wanted);
  await session.platform.deleteShare({ serviceId, shareId: id });
  const output = outputOf(shell, options);
  output.note('The share is removed. What is running goes on.');
  output.result('', { id, serviceId });
}

function requireOneRecipient({ user, organization }: ShareOptions): void {
  if ((user === undefined) !== (organization === undefined)) return;
  throw usageFailure(
    'A share has one recipient.',
    'ket share <service> --user <name>',
    'ket share <service> --organization <id>',
  );
}

async function recipientOf(session: Session, { user, organization }: ShareOptions): Promise<Recipient> {
  if (user !== undefined) return { type: 'USER', id: await findUser(session, user) };
  return { type: 'ORGANIZATION', id: organization ?? '' };
}

/** A time in the platform's form. A day alone means midnight, UTC. */
function dateOf(option: string, text: string | undefined): string | null {
  if (text === undefined || text === 'none') return null;
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return `${text} 00:00:00`;
  if (/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return text;
  throw usageFailure(`${option} takes yyyy-MM-dd or "yyyy-MM-dd HH:mm:ss", in UTC.`);
}

function tableOf(all: readonly Share[]): string {
  return table(
    ['SHARE', 'STATUS', 'OPENS', 'WITH', 'FROM (UTC)', 'UNTIL (UTC)'],
    all.map(({ id, status, opens, recipient, startDate, endDate }) => [
      id,
      status,
      opens.join(' '),
      `${recipient.type.toLowerCase()} ${recipient.id}`,
      startDate ?? '',
      endDate ?? '',
    ]),
  );
}
