import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Service, ServiceVersion } from '@kethub/contract';
import type { Command } from 'commander';
import { CliFailure, usageFailure } from '../failures.ts';
import { newOwner } from '../platform/new-owner.ts';
import { requireOwnService, splitVersion } from '../platform/select-service.ts';
import { openSession, type Session } from '../platform/session.ts';
import { addCommand, outputOf, positiveInteger, type CommonOptions, type Shell } from '../shell.ts';
import { printable } from '../terminal/output.ts';
import { sizeText } from '../terminal/size.ts';
import { table } from '../terminal/table.ts';

interface ChangeOptions extends CommonOptions {
  readonly name?: string;
  readonly description?: string;
}

/** Entries of the platform's largest page. */
const LARGEST_PAGE = 1_000;

/** Commands on whole services, and what can be read of their versions. */
export function addServiceManagement(service: Command, shell: Shell): void {
  addCommand(service, 'show <service>', 'show a service, or name@version: state, build, parameters and address').action(
    (wanted: string, options: CommonOptions) => show(shell, wanted, options),
  );
  addCommand(service, 'versions <service>', 'list all versions of a service, newest first').action(
    (wanted: string, options: CommonOptions) => versions(shell, wanted, options),
  );
  addCommand(service, 'executions <service>', 'list the executions of your service by anybody, newest first')
    .option('--limit <number>', 'largest number of entries', positiveInteger, 20)
    .action((wanted: string, options: CommonOptions & { limit: number }) => executions(shell, wanted, options));
  addCommand(service, 'source <service@version>', 'download the uploaded ZIP of a version')
    .option('--output <file>', 'the file (default: <service>-<version>.zip); it must not be there yet')
    .action((wanted: string, options: CommonOptions & { output?: string }) => source(shell, wanted, options));
  addCommand(service, 'build-log <service@version>', 'print the log of the build of a version').action(
    (wanted: string, options: CommonOptions) => buildLog(shell, wanted, options),
  );
  addCommand(service, 'change <service>', 'change the name or the description of a service')
    .option('--name <name>', 'new name; the addresses of published versions stay')
    .option('--description <text>', 'new description')
    .action((wanted: string, options: ChangeOptions) => change(shell, wanted, options));
  addCommand(
    service,
    'transfer <service> <owner>',
    'give a service to an organization (a name or an id), or me',
  ).action((wanted: string, owner: string, options: CommonOptions) => transfer(shell, wanted, owner, options));
  addCommand(service, 'delete <service>', 'delete a service with all its versions')
    .option('--force', 'delete it although it has published versions, which can then no longer be called')
    .action((wanted: string, options: CommonOptions & { force?: boolean }) => remove(shell, wanted, options));
}

async function show(shell: Shell, wanted: string, options: CommonOptions): Promise<void> {
  const session = await openSession(shell);
  const { name, version } = splitVersion(wanted);
  const service = await requireOwnService(session, name);
  const output = outputOf(shell, options);
  if (version === undefined) return output.result(describe(service), service);
  const found = await session.platform.getServiceVersion({ serviceId: service.id, version });
  output.result(describeVersion(service, found), found);
}

function describe(service: Service): string {
  const { name, slug, id, type, owner, description, createdAt } = service;
  const about = [
    ['name', name],
    ['slug', slug],
    ['id', id],
    ['type', type],
    ['owner', `${owner.type.toLowerCase()} ${owner.id}`],
    ['created', `${createdAt} UTC`],
  ];
  const text = description === '' ? [] : ['', description];
  return [...labelled(about), ...text, '', tableOf(service.versions)].join('\n');
}

function describeVersion(service: Service, version: ServiceVersion): string {
  const { configuration = {}, build, retirement, parameters = [] } = version;
  const about = [
    ['state', [version.state, ...(version.visibility === undefined ? [] : [version.visibility])].join(', ')],
    ['build', build ? [build.status, build.problem?.title ?? ''].filter((text) => text !== '').join(': ') : ''],
    ['address', version.endpoint ?? ''],
    ['retired', retirement ? `from ${retirement.sunset} UTC on` : ''],
    ['source', version.sourceBytes === undefined ? '' : sizeText(version.sourceBytes)],
    ['target', version.target?.url ?? ''],
    ...Object.entries(configuration).map(([member, value]) => [
      member,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ].filter(([, value]) => value !== '');
  const rows = parameters.map((one) => [one.name, one.kind, one.required ? 'required' : '', one.annotation ?? '']);
  const taken = rows.length === 0 ? [] : ['', table(['PARAMETER', 'KIND', 'REQUIRED', 'TYPE'], rows)];
  return [`${service.slug} ${version.version}`, ...labelled(about), ...taken].join('\n');
}

function labelled(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(...rows.map(([label = '']) => label.length));
  return rows.map(([label = '', value = '']) => `${label.padEnd(width)}  ${value}`);
}

function tableOf(versions: readonly ServiceVersion[]): string {
  const rows = versions.map((one) => [
    one.version,
    one.state,
    one.build?.status ?? '',
    one.visibility ?? '',
    one.retirement?.sunset ?? '',
    one.endpoint ?? '',
  ]);
  return table(['VERSION', 'STATE', 'BUILD', 'VISIBILITY', 'RETIRED FROM (UTC)', 'ADDRESS'], rows);
}

async function versions(shell: Shell, wanted: string, options: CommonOptions): Promise<void> {
  const session = await openSession(shell);
  const { id } = await requireOwnService(session, wanted);
  const all = await session.platform.listServiceVersions({ serviceId: id, limit: LARGEST_PAGE });
  outputOf(shell, options).result(all.length === 0 ? '' : tableOf(all), all);
}

async function executions(
  shell: Shell,
  wanted: string,
  { limit, ...options }: CommonOptions & { limit: number },
): Promise<void> {
  const session = await openSession(shell);
  const { id } = await requireOwnService(session, wanted);
  const all = await session.platform.listProvidedExecutions({ serviceId: id, limit: Math.min(limit, LARGEST_PAGE) });
  const output = outputOf(shell, options);
  if (all.length === 0) output.note('No executions yet.');
  const rows = all.map((one) => [one.id, one.version ?? '', one.status, one.createdAt, one.endedAt ?? '']);
  const header = ['EXECUTION', 'VERSION', 'STATUS', 'CREATED (UTC)', 'ENDED (UTC)'];
  output.result(all.length === 0 ? '' : table(header, rows), all);
}

async function source(
  shell: Shell,
  wanted: string,
  { output: file, ...options }: CommonOptions & { output?: string },
): Promise<void> {
  const session = await openSession(shell);
  const { service, version } = await ownVersion(session, wanted);
  const target = path.resolve(shell.folder, file ?? `${service.slug}-${version}.zip`);
  const response = await session.platform.downloadSource({ serviceId: service.id, version });
  const body = response.body ? Readable.fromWeb(response.body) : Readable.from([]);
  await pipeline(body, createWriteStream(target, { flags: 'wx' })).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw usageFailure(`${target} exists already.`, `ket service source ${wanted} --output <file>`);
    throw error;
  });
  outputOf(shell, options).result(target, { path: target, serviceId: service.id, version });
}

async function buildLog(shell: Shell, wanted: string, options: CommonOptions): Promise<void> {
  const session = await openSession(shell);
  const { service, version } = await ownVersion(session, wanted);
  const output = outputOf(shell, options);
  for await (const { entry } of session.platform.followBuildLog({ serviceId: service.id, version }))
    output.item(printable(entry.message, shell.stdout.isTTY), entry);
}

async function change(shell: Shell, wanted: string, { name, description, ...options }: ChangeOptions): Promise<void> {
  if (name === undefined && description === undefined)
    throw usageFailure('Nothing to change: --name or --description is needed.');
  const session = await openSession(shell);
  const { id } = await requireOwnService(session, wanted);
  const json = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) };
  const changed = await session.platform.updateService({ serviceId: id, json });
  outputOf(shell, options).result(`${changed.slug} is named ${changed.name}.`, changed);
}

async function transfer(shell: Shell, wanted: string, owner: string, options: CommonOptions): Promise<void> {
  const session = await openSession(shell);
  const { id } = await requireOwnService(session, wanted);
  const json = await newOwner(session.platform, owner);
  const changed = await session.platform.transferService({ serviceId: id, json });
  outputOf(shell, options).result(`${changed.name} belongs to ${changed.owner.id}.`, changed);
}

async function remove(
  shell: Shell,
  wanted: string,
  { force, ...options }: CommonOptions & { force?: boolean },
): Promise<void> {
  const session = await openSession(shell);
  const { id, name, versions: known } = await requireOwnService(session, wanted);
  const published = known.filter(({ state }) => state === 'PUBLISHED').map(({ version }) => version);
  if (published.length > 0 && force !== true)
    throw new CliFailure('usage', 'is-published', `The service "${name}" is published: ${published.join(', ')}.`, [
      `ket service delete ${id} --force`,
    ]);
  await session.platform.deleteService({ serviceId: id });
  outputOf(shell, options).result(`The service "${name}" is deleted.`, { id, name });
}

/** An own service and a version that `name@1.0.0` names. */
export async function ownVersion(session: Session, wanted: string): Promise<{ service: Service; version: string }> {
  const { name, version } = splitVersion(wanted);
  if (version === undefined) throw usageFailure(`${wanted} names no version, as in ghz@1.0.0.`);
  return { service: await requireOwnService(session, name), version };
}
