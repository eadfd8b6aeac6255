import path from 'node:path';
import { isEnded, type ExecutionsEndpoint } from '@kethub/client';
import type { ServiceExecution } from '@kethub/contract';
import type { Command } from 'commander';
import { CliFailure, usageFailure } from '../failures.ts';
import { followToEnd } from '../follow.ts';
import { readInput, type InputOptions } from '../input.ts';
import type { JsonText } from '../json.ts';
import { addReferences } from '../platform/data-pools.ts';
import { remember } from '../platform/history.ts';
import { selectJob } from '../platform/select-job.ts';
import { selectService } from '../platform/select-service.ts';
import { nameOfService, selectTarget } from '../platform/select-target.ts';
import { openSession, type Session } from '../platform/session.ts';
import { withParams } from '../platform/with-params.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { Interrupted, interruptible } from '../terminal/interrupt.ts';
import type { Output } from '../terminal/output.ts';
import { callService, executionIn, showAnswer, type Answered } from './answer.ts';
import { showOutcome } from './outcome.ts';

interface RunOptions extends CommonOptions, InputOptions {
  readonly wait?: boolean;
  readonly detach?: boolean;
  readonly outputDir?: string;
  readonly dataPool?: readonly string[];
  readonly log: boolean;
  readonly job?: boolean;
}

export function addRun(program: Command, shell: Shell): void {
  addCommand(program, 'run [service|folder]', 'run a service and print its result')
    .option('--data <file>', 'JSON file with the argument data')
    .option('--params <file>', 'JSON file with the argument params')
    .option('--input <file>', 'JSON file with the whole input, or - for standard input')
    .option('--secret <name=source...>', 'a secret, from a file (name=@file) or the environment (name=VARIABLE)')
    .option('--data-pool <parameter=pool...>', 'a data pool, by name or id')
    .option('--tag <word...>', 'tags to find the execution by, see ket list --tag')
    .option('--wait', 'wait for the end of the execution (default)')
    .option('--detach', 'start the execution, print its id, and do not wait')
    .option('--output-dir <folder>', 'download the result files into this folder; files of the same name are replaced')
    .option('--job', 'run it as yourself, without an application: also your drafts, and services shared with you')
    .option('--no-log', 'do not show the log')
    .addHelpText(
      'after',
      `
The service is a name, name@version, id or address, or a folder with a kethub.json (default: the current folder).
For a folder, ket runs its service with the input in input/: input/data.json is data, and so on. --data and --params
replace these files, --input replaces the whole input. With --data alone, params is {} if the service needs it.
If a word names both a folder and another service, it means the service; ./word means the folder.
The first call of a service subscribes to it. --job subscribes to nothing. It runs the newest version that is built: of
your own service also a draft; of a shared service the newest published version, or the draft while there is none.
A service that runs elsewhere receives the input as a POST to its address, and ket prints its answer.
Ctrl-C stops waiting. The execution goes on.`,
    )
    .action((service: string | undefined, options: RunOptions) => run(shell, service, options));
}

async function run(shell: Shell, wanted: string | undefined, options: RunOptions): Promise<void> {
  checkOptions(options);
  const output = outputOf(shell, options);
  const isJob = options.job === true;
  const { service, project } = await selectTarget(shell, wanted, async (word) =>
    nameOfService(await openSession(shell), word, isJob),
  );
  const given = await readInput(shell, options, project, wanted);
  const session = await openSession(shell);
  const input = await addReferences(session, given, options.dataPool ?? []);
  const started = await (isJob ? startJob : startThrough)(session, service, input, options);
  if ('answer' in started) return showAnswer(shell, output, started);
  const { execution, executions } = started;
  await remember(shell.environment, { id: execution.id, url: session.url, endpoint: executions.endpoint });
  if (options.detach) return showStarted(shell, output, executions, execution);
  output.note(`Execution ${execution.id}`);
  const ended = await followExecution(output, executions, execution, options.log);
  const folder = options.outputDir === undefined ? null : path.resolve(shell.folder, options.outputDir);
  await showOutcome(shell, output, executions, ended, folder);
}

interface Started {
  readonly execution: ServiceExecution;
  readonly executions: ExecutionsEndpoint;
}

/**
 * Starts a service through the application. A service that runs elsewhere may answer at once instead of making an
 * execution.
 */
async function startThrough(
  session: Session,
  service: string,
  input: JsonText,
  options: InputOptions,
): Promise<Started | Answered> {
  const { endpoint, serviceId, version } = await selectService(session, service);
  const { text } = await withParams(session, { serviceId, version }, input, options);
  const executions = await session.gateway(endpoint);
  const answer = await callService(executions, text);
  const execution = executionIn(answer);
  return execution === null ? { answer, endpoint } : { execution, executions };
}

async function startJob(
  session: Session,
  service: string,
  input: JsonText,
  options: InputOptions,
): Promise<Started | Answered> {
  const { serviceId, version } = await selectJob(session, service);
  const { text } = await withParams(session, { serviceId, version }, input, options);
  return {
    execution: await session.platform.startJobOfVersion({ serviceId, version, jsonText: text }),
    executions: session.jobs,
  };
}

function checkOptions({ wait, detach, outputDir, input, data, params }: RunOptions): void {
  if (detach && wait) throw usageFailure('--detach and --wait exclude each other.');
  if (detach && outputDir !== undefined)
    throw usageFailure('--output-dir needs the end of the execution, which --detach does not wait for.');
  if (input !== undefined && (data !== undefined || params !== undefined))
    throw usageFailure('--input is the whole input: --data and --params cannot be added to it.');
}

function showStarted(
  shell: Shell,
  output: Output,
  { endpoint }: ExecutionsEndpoint,
  execution: ServiceExecution,
): void {
  output.note(`Started. ${shell.command} result ${execution.id} --wait`);
  output.result(execution.id, { execution, endpoint });
}

/** Shows status and log to the end. On Ctrl-C it says that the execution goes on, with commands for it. */
export async function followExecution(
  output: Output,
  executions: ExecutionsEndpoint,
  execution: ServiceExecution,
  log: boolean,
): Promise<ServiceExecution> {
  const { id } = execution;
  if (isEnded(execution)) return execution;
  try {
    return await interruptible((signal) =>
      followToEnd(
        output,
        {
          watch: (options) => executions.watch(id, options),
          log: log ? (options) => executions.followLog(id, options) : null,
          // The end is shown with the result.
          describe: (value) => (isEnded(value) ? null : value.status),
        },
        signal,
      ),
    );
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
    throw new CliFailure('interrupted', 'interrupted', `The execution ${id} goes on.`, [
      `ket logs ${id} --follow`,
      `ket result ${id} --wait`,
      `ket cancel ${id}`,
    ]);
  }
}
