import path from 'node:path';
import { isEnded } from '@kethub/client';
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
import { openSession, type Door, type Session } from '../platform/session.ts';
import { withParams } from '../platform/with-params.ts';
import { addCommand, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { Interrupted, interruptible } from '../terminal/interrupt.ts';
import type { Output } from '../terminal/output.ts';
import { callService, executionIn, showAnswer, type Answered } from './answer.ts';
import { showOutcome } from './outcome.ts';

export interface RunOptions extends CommonOptions, InputOptions {
  readonly wait?: boolean;
  readonly detach?: boolean;
  readonly outputDir?: string;
  readonly dataPool?: readonly string[];
  readonly log: boolean;
  readonly job?: boolean;
}

export function addRun(program: Command, shell: Shell): void {
  addCommand(program, 'run [service|folder]', 'run a service and print its result')
    .option('--data <file>', 'JSON file for the argument data')
    .option('--params <file>', 'JSON file for the argument params')
    .option('--input <file>', 'JSON file with the whole input; - reads standard input')
    .option('--secret <name=source...>', 'a secret, from a file (name=@file) or the environment (name=VARIABLE)')
    .option('--data-pool <parameter=pool...>', 'a data pool, by name or id')
    .option('--tag <word...>', 'tags to find the execution by, see ket list --tag')
    .option('--wait', 'wait for the end (the default)')
    .option('--detach', 'only start it, and print its id')
    .option('--output-dir <folder>', 'download the result files into this folder, replacing those of the same name')
    .option('--job', 'as yourself, without an application: also a draft of yours, or what is shared with you')
    .option('--no-log', 'do not show what the code writes')
    .addHelpText(
      'after',
      `
The service is a name, name@version, id or address, or a folder with a kethub.json; without it, the folder that you are
in. Of a folder, its service is run, and its input/ is the input: input/data.json for data, and so on. --data and --params
replace these, --input replaces all. With --data alone, params is {} where the service needs it.
A word that names a folder and also another service means the service; ./word the folder.
The first call of a service subscribes to it. With --job nothing is subscribed: the newest version that is built is run,
of a service of yours also a draft; of one that is shared with you, the newest published one, or the draft while there
is none. A service that runs elsewhere gets the input as POST to its address, and what it answers is printed.
Ctrl-C ends the waiting, not the execution.`,
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
  const { execution, door } = started;
  await remember(shell.environment, { id: execution.id, url: session.url, endpoint: door.endpoint });
  if (options.detach) return showStarted(shell, output, door, execution);
  output.note(`Execution ${execution.id}`);
  const ended = await followExecution(output, door, execution, options.log);
  const folder = options.outputDir === undefined ? null : path.resolve(shell.folder, options.outputDir);
  await showOutcome(shell, output, door, ended, folder);
}

interface Started {
  readonly execution: ServiceExecution;
  readonly door: Door;
}

/** A service that runs elsewhere need not make an execution: it may answer at once. */
async function startThrough(
  session: Session,
  service: string,
  input: JsonText,
  options: InputOptions,
): Promise<Started | Answered> {
  const { endpoint, serviceId, version } = await selectService(session, service);
  const { text } = await withParams(session, { serviceId, version }, input, options);
  const door = await session.gateway(endpoint);
  const answer = await callService(door, text);
  const execution = executionIn(answer);
  return execution === null ? { answer, endpoint } : { execution, door };
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
    door: session.jobs,
  };
}

function checkOptions({ wait, detach, outputDir, input, data, params }: RunOptions): void {
  if (detach && wait) throw usageFailure('--detach and --wait exclude each other.');
  if (detach && outputDir !== undefined)
    throw usageFailure('--output-dir needs the end of the execution, which --detach does not wait for.');
  if (input !== undefined && (data !== undefined || params !== undefined))
    throw usageFailure('--input is the whole input: --data and --params cannot be added to it.');
}

function showStarted(shell: Shell, output: Output, { endpoint }: Door, execution: ServiceExecution): void {
  output.note(`Started. ${shell.command} result ${execution.id} --wait`);
  output.result(execution.id, { execution, endpoint });
}

/** Shows status and log to the end. On Ctrl-C it says that the execution goes on, and what can be done about it. */
export async function followExecution(
  output: Output,
  door: Door,
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
          watch: (options) => door.watch(id, options),
          log: log ? (options) => door.followLog(id, options) : null,
          // How it has ended is said with the result.
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
