import type { ExecutionRecord } from '@kethub/contract';
import type { Command } from 'commander';
import { JsonText } from '../json.ts';
import { findExecution } from '../platform/find-execution.ts';
import { requireOwnService } from '../platform/select-service.ts';
import { openSession } from '../platform/session.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';

interface RecordOptions extends CommonOptions {
  readonly service?: string;
}

export function addRecord(program: Command, shell: Shell): void {
  addCommand(
    program,
    'record [execution]',
    'show the record of an execution (default: the last one): code, environment, input and results by their digests. --json shows all of it',
  )
    .option('--service <service>', 'an execution of your own service, started by anybody: digests and sizes only')
    .action((execution: string | undefined, options: RecordOptions) => record(shell, execution ?? 'last', options));
}

/** Prints the input byte for byte: numbers keep every digit. */
export function addInput(program: Command, shell: Shell): void {
  addCommand(
    program,
    'input [execution]',
    'print the input of an execution (default: the last one), without secrets',
  ).action(async (execution: string | undefined, options: CommonOptions) => {
    const session = await openSession(shell);
    const { id } = await findExecution(shell, session, execution ?? 'last');
    const text = await (await session.platform.getOwnedInput.response({ executionId: id })).text();
    outputOf(shell, options).result(text, new JsonText(text));
  });
}

async function record(shell: Shell, wanted: string, options: RecordOptions): Promise<void> {
  const session = await openSession(shell);
  const found =
    options.service === undefined
      ? await session.platform.getOwnedRecord({ executionId: (await findExecution(shell, session, wanted)).id })
      : await session.platform.getProvidedRecord({
          serviceId: (await requireOwnService(session, options.service)).id,
          executionId: wanted,
        });
  outputOf(shell, options).result(describe(found), found);
}

function describe({
  id,
  status,
  service,
  code,
  environment,
  input,
  limits,
  timings,
  usage,
  exit,
  result,
  files,
}: ExecutionRecord): string {
  const python = environment !== null && 'python' in environment ? environment : null;
  const packages = python?.packages.map(({ name, version }) => `${name} ${version}`).join(', ');
  const ranWith = python === null ? `an image for ${environment?.platform}` : `Python ${python.python}`;
  const rows: [string, string | null | undefined][] = [
    ['service', [service.name, service.version].filter(Boolean).join(' ') || service.versionId],
    ['code', code?.digest],
    ['commit', code?.origin && `${code.origin.commit}  ${code.origin.ref} of ${code.origin.implementationId}`],
    ['environment', environment && `${environment.digest}  ${ranWith}`],
    ['packages', packages],
    ['input', input && `${input.digest}  ${input.bytes} bytes`],
    ['result', result && `${result.digest}  ${result.bytes} bytes`],
    ...files.map(({ name, digest, bytes }): [string, string] => [
      'file',
      `${digest ?? ''}  ${bytes} bytes  ${name ?? ''}`.trimEnd(),
    ]),
    [
      'limits',
      limits && `${limits.cpus} CPU, ${inMb(limits.memoryBytes)} MB${limits.gpus > 0 ? `, ${limits.gpus} GPU` : ''}`,
    ],
    ['waited', timings.waitedMs === null ? null : `${timings.waitedMs} ms`],
    ['ran', timings.ranMs === null ? null : `${timings.ranMs} ms`],
    ['CPU', usage?.cpuSeconds == null ? null : `${usage.cpuSeconds} s`],
    ['memory', usage?.peakMemoryBytes == null ? null : `${inMb(usage.peakMemoryBytes)} MB at most`],
    ['ended', exit && [exit.reason, exit.detail].filter(Boolean).join(': ')],
  ];
  const lines = rows.flatMap(([name, value]) => (value ? [`${name.padEnd(12)} ${value}`] : []));
  return [`${status}  ${id}`, ...lines].join('\n');
}

function inMb(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20);
}
