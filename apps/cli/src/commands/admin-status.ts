import type { PlatformProcess, PlatformStatus } from '@kethub/contract';
import type { Command } from 'commander';
import { openSession } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { sizeText } from '../terminal/size.ts';
import { table } from '../terminal/table.ts';

export function addPlatformStatus(admin: Command, shell: Shell): void {
  addCommand(admin, 'status', 'show queues, processes, workers, disks and versions of the installation').action(
    async (options: CommonOptions) => {
      const { platform } = await openSession(shell);
      const status = await platform.getPlatformStatus();
      outputOf(shell, options).result(textOf(status), status);
    },
  );
}

function textOf({
  database,
  files,
  executions,
  builds,
  mails,
  queues,
  processes,
  lostWorkers,
}: PlatformStatus): string {
  const since = executions.oldestPendingAt === undefined ? '' : `, the first since ${executions.oldestPendingAt} UTC`;
  const parts = [
    [
      `Executions: ${executions.running} running, ${executions.pending} waiting${since}`,
      `Builds: ${builds.running} running, ${builds.pending} waiting`,
      `Mails: ${mails.waiting} waiting`,
      `Database: ${database.kind}, ${sizeText(database.bytes)}, schema ${database.schema}; files in ${files}`,
    ].join('\n'),
    table(
      ['ROLES', 'HOST', 'VERSION', 'SCHEMA', 'DISK FREE', 'RUNNING', 'DRIVERS', 'STARTED (UTC)'],
      processes.map(rowOf),
    ),
    ...processes.flatMap(({ host, worker }) =>
      worker?.problem === undefined ? [] : [`Worker ${worker.id} on ${host}: ${worker.problem}`],
    ),
    ...(queues.length === 0
      ? []
      : [
          table(
            ['OWNER', 'WAITING'],
            queues.map((one) => [one.ownerId, String(one.waiting)]),
          ),
        ]),
    ...(lostWorkers.length === 0
      ? []
      : [
          table(
            ['LOST WORKER', 'HOST', 'SINCE (UTC)'],
            lostWorkers.map(({ id, host, lostAt }) => [id, host, lostAt]),
          ),
        ]),
  ];
  return parts.join('\n\n');
}

function rowOf({ roles, host, version, schema, disk, worker, startedAt }: PlatformProcess): string[] {
  return [
    roles.join(','),
    host,
    version,
    schema,
    disk === undefined ? '' : `${sizeText(disk.freeBytes)} of ${sizeText(disk.bytes)}`,
    worker === undefined ? '' : String(worker.running),
    worker?.drivers.join(',') ?? '',
    startedAt,
  ];
}
