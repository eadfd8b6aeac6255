import type { StorageUsage } from '@kethub/contract';
import type { Command } from 'commander';
import { usageFailure } from '../failures.ts';
import { findServiceId } from '../platform/select-service.ts';
import { openSession } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { sizeText } from '../terminal/size.ts';
import { table } from '../terminal/table.ts';

interface KeepOptions extends CommonOptions {
  readonly service?: string;
}

/** Storage use and retention. */
export function addStorage(program: Command, shell: Shell): void {
  const storage = program.command('storage').description('show your storage use, and choose how long results are kept');
  addCommand(storage, 'show', 'show how much of your storage quota is used, and by what').action(
    (options: CommonOptions) => show(shell, options),
  );
  addCommand(storage, 'keep <days>', 'choose how many days results, result files and logs are kept')
    .option('--service <service>', 'only executions of this service')
    .addHelpText(
      'after',
      `
Only a time shorter than that of the platform has an effect; none removes your choice. Older results, result files and
logs are deleted within an hour and cannot be restored. Status, times and record of an execution stay.`,
    )
    .action((days: string, options: KeepOptions) => keep(shell, days, options));
}

async function show(shell: Shell, options: CommonOptions): Promise<void> {
  const { platform } = await openSession(shell);
  const usage = await platform.getStorage();
  const output = outputOf(shell, options);
  for (const line of timesOf(usage)) output.note(line);
  output.result(tableOf(usage), usage);
}

async function keep(shell: Shell, wanted: string, { service, ...options }: KeepOptions): Promise<void> {
  const days = daysOf(wanted);
  const session = await openSession(shell);
  const { retention } = await session.platform.getStorage();
  const serviceId = service === undefined ? null : await findServiceId(session, service);
  const others = retention.services.filter((one) => one.serviceId !== serviceId);
  const changed = await session.platform.setRetention({
    json:
      serviceId === null
        ? { keepDays: days, services: retention.services }
        : {
            keepDays: retention.keepDays,
            services: days === null ? others : [...others, { serviceId, keepDays: days }],
          },
  });
  outputOf(shell, options).result(timesOf(changed).join('\n'), changed);
}

function daysOf(text: string): number | null {
  if (text === 'none') return null;
  if (!/^[1-9]\d{0,4}$/.test(text) || Number(text) > 36_500)
    throw usageFailure(`"${text}" is no number of days from 1 to 36500, and not none.`, 'ket storage keep 30');
  return Number(text);
}

function tableOf(usage: StorageUsage): string {
  const { usedBytes, quotaBytes } = usage;
  const rows: [what: string, bytes: number][] = [
    ['results', usage.resultBytes],
    ['result files', usage.fileBytes],
    ['logs', usage.logBytes],
    ['inputs of what has not ended', usage.inputBytes],
    ['data pools', usage.dataPoolBytes],
    ['versions of services', usage.serviceBytes],
    ['together', usedBytes],
  ];
  const quota = quotaBytes === null ? 'no limit' : sizeText(quotaBytes);
  return table(['WHAT', 'SIZE'], [...rows.map(([what, bytes]) => [what, sizeText(bytes)]), ['quota', quota]]);
}

function timesOf({ keepDays, retention }: StorageUsage): string[] {
  const days = (count: number): string => (count === 1 ? '1 day' : `${count} days`);
  const general = keepDays === null ? 'for good' : `for ${days(keepDays)}`;
  return [
    `The platform keeps results, result files and logs ${general} after the end of an execution.`,
    ...(retention.keepDays === null ? [] : [`You have chosen ${days(retention.keepDays)}.`]),
    ...retention.services.map((one) => `Of the service ${one.serviceId} you have chosen ${days(one.keepDays)}.`),
  ];
}

/** Parses a storage size: bytes, or with the unit MB, GB or TB (powers of 1,024). Null means no limit. */
export function storageSize(text: string): number | null {
  if (text === 'none') return null;
  const [, number, unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)\s*(MB|GB|TB)?$/i.exec(text) ?? [];
  if (number === undefined) throw usageFailure(`"${text}" is no size.`, 'ket admin quota ada@example.org 500GB');
  const power = { '': 0, MB: 2, GB: 3, TB: 4 }[unit.toUpperCase()] ?? 0;
  return Math.round(Number(number) * 1024 ** power);
}
