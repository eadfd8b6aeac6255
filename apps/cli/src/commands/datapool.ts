import path from 'node:path';
import type { DataPool, MemberRole } from '@kethub/contract';
import { type Command, Option } from 'commander';
import { download } from '../download.ts';
import { CliFailure, usageFailure } from '../failures.ts';
import { selectDataPool } from '../platform/data-pools.ts';
import { findUser } from '../platform/find-user.ts';
import { newOwner } from '../platform/new-owner.ts';
import { openSession, type Session } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { interruptible } from '../terminal/interrupt.ts';
import { printable, type Output } from '../terminal/output.ts';
import { sizeText } from '../terminal/size.ts';
import { table } from '../terminal/table.ts';
import { upload } from '../upload.ts';

/** The session, the output and the pool of a command on one data pool. */
interface Work {
  readonly shell: Shell;
  readonly output: Output;
  readonly session: Session;
  readonly pool: DataPool;
}

interface UploadOptions extends CommonOptions {
  readonly name?: string;
  readonly mediaType?: string;
  readonly keep?: boolean;
}

interface ShareOptions extends CommonOptions {
  readonly role: string;
  readonly organization?: boolean;
}

const roles: readonly MemberRole[] = ['VIEWER', 'MAINTAINER', 'OWNER'];

/** Files that executions can read. */
export function addDataPool(program: Command, shell: Shell): void {
  const group = program
    .command('datapool')
    .description('manage data pools: files on the platform that services can read');
  const onPool =
    <A extends unknown[]>(work: (work: Work, ...given: A) => Promise<void>) =>
    async (wanted: string, ...rest: unknown[]): Promise<void> => {
      // Arguments, then options; commander appends the command itself.
      const given = rest.slice(0, -1);
      const session = await openSession(shell);
      const output = outputOf(shell, given.at(-1) as CommonOptions);
      await work({ shell, output, session, pool: await selectDataPool(session, wanted) }, ...(given as A));
    };
  addCommand(group, 'create <name>', 'create an empty data pool')
    .option('--description <text>', 'description of the data pool')
    .action((name: string, options: CommonOptions & { description?: string }) => create(shell, name, options));
  addCommand(group, 'list', 'list your data pools and those shared with you').action((options: CommonOptions) =>
    list(shell, options),
  );
  addCommand(group, 'show <pool>', 'show a data pool').action(onPool(show));
  addCommand(group, 'change <pool>', 'change the name or the description of a data pool')
    .option('--name <name>', 'new name')
    .option('--description <text>', 'new description')
    .action(onPool(change));
  addCommand(group, 'transfer <pool> <owner>', 'give a data pool to an organization (a name or an id), or me').action(
    onPool(transfer),
  );
  addCommand(group, 'leave <pool>', 'give back your access to a data pool of somebody else').action(onPool(leave));
  addCommand(group, 'files <pool>', 'list the files of a data pool').action(onPool(files));
  addCommand(group, 'upload <pool> <file...>', 'upload files; files of the same name are replaced')
    .option('--name <name>', 'name of the file in the pool; for one file')
    .option('--media-type <type>', 'media type, such as text/csv')
    .option('--keep', 'do not replace files: fail if a file of the name exists')
    .action(onPool(uploadAll));
  addCommand(group, 'download <pool> [file...]', 'download these files (default: all)')
    .option('--output-dir <folder>', 'the folder; files of the same name are replaced', '.')
    .action(onPool(downloadAll));
  addCommand(group, 'delete <pool> [file...]', 'delete these files (default: the whole data pool)')
    .option('--force', 'delete the data pool although it holds files')
    .action(onPool(remove));
  addCommand(group, 'members <pool>', 'list the members of a data pool').action(onPool(members));
  addCommand(group, 'share <pool> <recipient>', 'share a data pool with a user (a name or an id), or change their role')
    .addOption(new Option('--role <role>', 'role of the member').choices(roles.map(lower)).default('viewer'))
    .option('--organization', 'the recipient is an organization (an id)')
    .action(onPool(share));
  addCommand(group, 'unshare <pool> <recipient>', 'remove a user (a name or an id) from a data pool')
    .option('--organization', 'the recipient is an organization (an id)')
    .action(onPool(unshare));
}

async function create(shell: Shell, name: string, options: CommonOptions & { description?: string }): Promise<void> {
  const { platform } = await openSession(shell);
  const { description } = options;
  const pool = await platform.createDataPool({ json: { name, ...(description !== undefined && { description }) } });
  outputOf(shell, options).result(pool.id, pool);
}

async function list(shell: Shell, options: CommonOptions): Promise<void> {
  const { platform } = await openSession(shell);
  const pools = await platform.listDataPools();
  const output = outputOf(shell, options);
  if (pools.length === 0) output.note(`No data pools yet. ${shell.command} datapool create <name> makes one.`);
  const rows = pools.map((one) => [one.id, one.name, lower(one.role), String(one.files), sizeText(one.bytes)]);
  output.result(pools.length === 0 ? '' : table(['DATA POOL', 'NAME', 'ROLE', 'FILES', 'SIZE'], rows), pools);
}

async function show({ output, pool }: Work): Promise<void> {
  const { id, name, description, owner, role, files: count, bytes, createdAt } = pool;
  const rows = [
    ['name', name],
    ['id', id],
    ['owner', `${lower(owner.type)} ${owner.id}`],
    ['your role', lower(role)],
    ['files', `${count}, together ${sizeText(bytes)}`],
    ['created', `${createdAt} UTC`],
  ].map(([label = '', value = '']) => `${label.padEnd(9)}  ${value}`);
  output.result([...rows, ...(description === '' ? [] : ['', description])].join('\n'), pool);
}

async function change(
  { output, session, pool }: Work,
  { name, description }: CommonOptions & { readonly name?: string; readonly description?: string },
): Promise<void> {
  if (name === undefined && description === undefined)
    throw usageFailure('Nothing to change: --name or --description is needed.');
  const json = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) };
  const changed = await session.platform.updateDataPool({ dataPoolId: pool.id, json });
  output.result(`${changed.id} is named ${changed.name}.`, changed);
}

async function transfer({ output, session, pool }: Work, owner: string): Promise<void> {
  const json = await newOwner(session.platform, owner);
  const changed = await session.platform.transferDataPool({ dataPoolId: pool.id, json });
  output.result(`The data pool "${changed.name}" belongs to ${changed.owner.id}.`, changed);
}

async function leave({ output, session, pool }: Work): Promise<void> {
  await session.platform.leaveDataPool({ dataPoolId: pool.id });
  output.result(`You no longer have access to the data pool "${pool.name}".`, { dataPool: pool.id });
}

async function files({ output, session, pool }: Work): Promise<void> {
  const all = await session.platform.listDataPoolFiles({ dataPoolId: pool.id });
  if (all.length === 0) output.note(`The data pool "${pool.name}" is empty.`);
  const rows = all.map((one) => [one.name, sizeText(one.bytes), one.mediaType, one.updatedAt]);
  output.result(all.length === 0 ? '' : table(['FILE', 'SIZE', 'TYPE', 'CHANGED (UTC)'], rows), all);
}

async function uploadAll(
  { shell, output, session, pool }: Work,
  given: readonly string[],
  { name, mediaType, keep }: UploadOptions,
): Promise<void> {
  if (name !== undefined && given.length > 1) throw usageFailure('--name names one file, but several are uploaded.');
  const uploaded = [];
  for (const file of given) {
    const called = name ?? path.basename(file);
    const one = await interruptible((signal) =>
      upload(output, path.resolve(shell.folder, file), called, (content) =>
        session.platform.uploadDataPoolFile({
          dataPoolId: pool.id,
          name: called,
          body: content.body,
          headers: {
            ...content.headers,
            'content-type': mediaType ?? 'application/octet-stream',
            ...(keep && { 'if-none-match': '*' }),
          },
          signal,
        }),
      ),
    );
    output.note(`Uploaded ${one.name} (${sizeText(one.bytes)})`);
    uploaded.push(one);
  }
  output.result('', uploaded);
}

async function downloadAll(
  { shell, output, session, pool }: Work,
  given: readonly string[],
  { outputDir }: CommonOptions & { readonly outputDir: string },
): Promise<void> {
  const { platform } = session;
  const names =
    given.length > 0 ? given : (await platform.listDataPoolFiles({ dataPoolId: pool.id })).map(({ name }) => name);
  const folder = path.resolve(shell.folder, outputDir);
  if (names.length === 0) output.note(`The data pool "${pool.name}" is empty.`);
  const saved = [];
  for (const name of names) {
    output.progress(`Downloading ${printable(name, shell.stderr.isTTY)}`);
    const target = await interruptible((signal) =>
      download(folder, name, () => platform.downloadDataPoolFile({ dataPoolId: pool.id, name, signal })),
    ).finally(() => output.settle());
    output.note(`Saved ${printable(target, shell.stderr.isTTY)}`);
    saved.push({ name, path: target });
  }
  output.result('', saved);
}

async function remove(
  { output, session, pool }: Work,
  given: readonly string[],
  { force }: CommonOptions & { readonly force?: boolean },
): Promise<void> {
  for (const name of given) await session.platform.deleteDataPoolFile({ dataPoolId: pool.id, name });
  if (given.length === 0 && pool.files > 0 && !force)
    throw new CliFailure(
      'usage',
      'not-empty',
      `The data pool "${pool.name}" holds ${pool.files} ${pool.files === 1 ? 'file' : 'files'}.`,
      [`ket datapool delete ${pool.id} --force`],
    );
  if (given.length === 0) await session.platform.deleteDataPool({ dataPoolId: pool.id });
  output.note(given.length === 0 ? `Deleted the data pool "${pool.name}".` : `Deleted ${given.join(', ')}.`);
  output.result('', { dataPool: pool.id, files: given });
}

async function members({ output, session, pool }: Work): Promise<void> {
  const all = await session.platform.listDataPoolMembers({ dataPoolId: pool.id });
  if (all.length === 0) output.note(`The data pool "${pool.name}" is not shared with anybody.`);
  const rows = all.map((one) => [one.id, lower(one.type), lower(one.role), one.addedAt]);
  output.result(all.length === 0 ? '' : table(['MEMBER', 'TYPE', 'ROLE', 'SINCE (UTC)'], rows), all);
}

async function share(
  { output, session, pool }: Work,
  recipient: string,
  { role, organization }: ShareOptions,
): Promise<void> {
  const wanted = roles.find((one) => lower(one) === role) ?? 'VIEWER';
  const member = await session.platform.putDataPoolMember({
    dataPoolId: pool.id,
    ...(await memberOf(session, recipient, organization)),
    json: { role: wanted },
  });
  output.note(`${member.id} is ${lower(member.role)} of the data pool "${pool.name}".`);
  output.result('', member);
}

async function unshare({ output, session, pool }: Work, recipient: string, options: ShareOptions): Promise<void> {
  const member = await memberOf(session, recipient, options.organization);
  await session.platform.removeDataPoolMember({ dataPoolId: pool.id, ...member });
  output.note(`${recipient} is no member of the data pool "${pool.name}" any more.`);
  output.result('', { dataPool: pool.id, member: member.memberId });
}

async function memberOf(session: Session, recipient: string, organization: boolean | undefined) {
  if (organization) return { memberType: 'ORGANIZATION', memberId: recipient } as const;
  return { memberType: 'USER', memberId: await findUser(session, recipient) } as const;
}

function lower(word: string): string {
  return word.toLowerCase();
}
