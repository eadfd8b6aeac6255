import type { OwnedExecution } from '@kethub/contract';
import type { Command } from 'commander';
import { findServiceId, splitVersion } from '../platform/select-service.ts';
import { openSession, type Session } from '../platform/session.ts';
import { addCommand, outputOf, positiveInteger, type CommonOptions, type Shell } from '../shell.ts';
import { table } from '../terminal/table.ts';

interface ListOptions extends CommonOptions {
  readonly limit: number;
  readonly tag?: string;
  readonly status?: string;
}

/** Entries of the platform's largest page. */
const LARGEST_PAGE = 1_000;

export function addList(program: Command, shell: Shell): void {
  addCommand(program, 'list [service]', 'list your executions, newest first: all, or those of one service')
    .option('--limit <number>', 'largest number of entries', positiveInteger, 20)
    .option('--tag <tag>', 'list only executions with this tag')
    .option('--status <statuses>', 'list only executions with this status, or one of several: FAILED,UNKNOWN')
    .action((service: string | undefined, options: ListOptions) => list(shell, service, options));
}

async function list(shell: Shell, wanted: string | undefined, options: ListOptions): Promise<void> {
  const filter = {
    ...(options.tag !== undefined && { tag: options.tag }),
    ...(options.status !== undefined && { status: options.status.toUpperCase() }),
  };
  const shown = await executionsOf(await openSession(shell), wanted, Math.min(options.limit, LARGEST_PAGE), filter);
  const rows = shown.map((one) => [
    one.id,
    one.status,
    one.serviceName === undefined ? '(deleted)' : `${one.serviceName}@${one.version}`,
    one.applicationId === null ? 'job' : 'application',
    one.createdAt,
    (one.tags ?? []).join(', '),
  ]);
  const text = shown.length === 0 ? '' : table(['EXECUTION', 'STATUS', 'SERVICE', 'BY', 'CREATED (UTC)', 'TAGS'], rows);
  const output = outputOf(shell, options);
  if (shown.length === 0) output.note(noneOf(options));
  output.result(
    text,
    shown.map(({ _links: _unused, serviceName, ...one }) => ({ ...one, service: serviceName })),
  );
}

async function executionsOf(
  session: Session,
  wanted: string | undefined,
  limit: number,
  filter: { readonly tag?: string; readonly status?: string },
): Promise<OwnedExecution[]> {
  if (wanted === undefined) return session.platform.listOwnedExecutions({ limit, ...filter });
  const serviceId = await findServiceId(session, wanted);
  const { version } = splitVersion(wanted);
  const ofVersion = version === undefined ? {} : { version };
  return session.platform.listOwnedExecutions({ limit, serviceId, ...ofVersion, ...filter });
}

function noneOf({ tag, status }: ListOptions): string {
  if (status !== undefined) return `No executions with the status ${status.toUpperCase()}.`;
  return tag === undefined ? 'No executions yet.' : `No executions with the tag ${tag}.`;
}
