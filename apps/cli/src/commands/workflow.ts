import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import type { WorkflowInstance } from '@kethub/contract';
import { usageFailure } from '../failures.ts';
import { elementsOf, jsonOf, layOut, membersOf, objectOf, type JsonText } from '../json.ts';
import { requireOwnService } from '../platform/select-service.ts';
import { openSession } from '../platform/session.ts';
import { addCommand, outputOf, positiveInteger, type CommonOptions, type Shell } from '../shell.ts';
import { table } from '../terminal/table.ts';

interface VariablesOptions extends CommonOptions {
  readonly variables?: string;
}

interface MessageOptions extends VariablesOptions {
  readonly key: string;
  readonly id?: string;
  readonly waitFor?: number;
}

interface JournalOptions extends CommonOptions {
  readonly after?: number;
  readonly limit: number;
}

interface ScopesOptions extends CommonOptions {
  readonly step?: number;
  readonly element?: string;
}

interface RetryAllOptions extends VariablesOptions {
  readonly element?: string;
  readonly error?: string;
}

/** Instances of workflow services and what keeps them from going on. */
export function addWorkflow(program: Command, shell: Shell): void {
  const command = program.command('workflow').description('inspect and repair instances of your workflow services');
  addCommand(command, 'instances <service>', 'list the instances of a workflow, newest first').action(
    (service: string, options: CommonOptions) => instances(shell, service, options),
  );
  addCommand(
    command,
    'incidents [service]',
    'list the incidents of a workflow: what failed, and in which element; of all workflows, by cause',
  ).action((service: string | undefined, options: CommonOptions) =>
    service === undefined ? incidentGroups(shell, options) : incidents(shell, service, options),
  );
  addCommand(command, 'show <instance>', 'show the state and the variables of an instance as JSON').action(
    (instance: string, options: CommonOptions) => show(shell, instance, options),
  );
  addCommand(
    command,
    'variables <instance>',
    'show the variables of each scope of an instance as JSON, as they are now or were after a step',
  )
    .option('--step <number>', 'number of an entry of the journal', positiveInteger)
    .option('--element <id>', 'only the scopes of this BPMN element')
    .action((instance: string, options: ScopesOptions) => scopes(shell, instance, options));
  addCommand(
    command,
    'retry <instance> <incident>',
    'retry a failed element of an instance, after you corrected the cause',
  )
    .option('--variables <file>', 'JSON file with corrected variables, which are set first in the scope of the element')
    .action((instance: string, incident: string, options: VariablesOptions) =>
      retry(shell, instance, incident, options),
    );
  addCommand(command, 'retry-all <service>', 'retry the incidents of a workflow, after you corrected their cause')
    .option('--element <id>', 'only those of this BPMN element')
    .option('--error <code>', 'only those with this error code')
    .option(
      '--variables <file>',
      'JSON file with corrected variables, which are set first in the scope of each element',
    )
    .action((service: string, options: RetryAllOptions) => retryAll(shell, service, options));
  addCommand(
    command,
    'schedules <service>',
    'list the timer start events of a workflow, with their next start and their failures',
  ).action((service: string, options: CommonOptions) => schedules(shell, service, options));
  addCommand(
    command,
    'retry-schedule <service> <element>',
    'retry a timer start event that failed or is stopped, after you corrected the cause',
  ).action((service: string, element: string, options: CommonOptions) =>
    retrySchedule(shell, service, element, options),
  );
  addCommand(command, 'journal <instance>', 'print what has happened to an instance, oldest first')
    .option('--after <number>', 'only what came after the entry of this number', positiveInteger)
    .option('--limit <number>', 'largest number of entries', positiveInteger, 100)
    .action((instance: string, options: JournalOptions) => journal(shell, instance, options));
  addCommand(
    command,
    'message <service> <name>',
    'publish a message to a workflow: to what waits for it, or to start one',
  )
    .option('--key <key>', 'correlation key', '')
    .option('--id <id>', 'id of the message: a second one of the same id has no effect')
    .option('--wait-for <seconds>', 'time for which it waits for an instance that wants it', positiveInteger)
    .option('--variables <file>', 'JSON file with the variables of the message')
    .action((service: string, name: string, options: MessageOptions) => message(shell, service, name, options));
  addCommand(
    command,
    'signal <name>',
    'broadcast a signal to your workflows: to what waits for it now, and to start events',
  )
    .option('--variables <file>', 'JSON file with the variables of the signal')
    .action((name: string, options: VariablesOptions) => signal(shell, name, options));
}

async function signal(shell: Shell, name: string, options: VariablesOptions): Promise<void> {
  const variables = options.variables === undefined ? undefined : await readVariables(shell, options.variables);
  const { platform } = await openSession(shell);
  const receipt = await platform.broadcastWorkflowSignal({
    jsonText: jsonOf({ name, variables }).text,
  });
  const { waiting, starting } = receipt;
  const output = outputOf(shell, options);
  if (waiting + starting === 0) output.note('Nothing waits for it now, and it is not kept for later.');
  output.result(`${waiting} waiting, ${starting} starting`, receipt);
}

async function message(shell: Shell, wanted: string, name: string, options: MessageOptions): Promise<void> {
  const { key: correlationKey, id: messageId, waitFor: timeToLiveSeconds } = options;
  const variables = options.variables === undefined ? undefined : await readVariables(shell, options.variables);
  const { platform, serviceId } = await ownService(shell, wanted);
  const receipt = await platform.publishWorkflowMessage({
    serviceId,
    jsonText: jsonOf({ name, correlationKey, messageId, timeToLiveSeconds, variables }).text,
  });
  outputOf(shell, options).result(`${receipt.outcome}: ${receipt.detail}`, receipt);
}

async function journal(shell: Shell, instanceId: string, options: JournalOptions): Promise<void> {
  const { after, limit } = options;
  const { platform } = await openSession(shell);
  const entries = await platform.getWorkflowJournal({ instanceId, limit: Math.min(limit, 1_000), after });
  const texts = elementsOf(jsonOf(entries).text);
  const rows = entries.map(({ seq, at, type }, index) => [String(seq), at, type, detailsOf(texts[index] ?? '{}')]);
  const text = entries.length === 0 ? '' : table(['ENTRY', 'AT (UTC)', 'WHAT', 'DETAILS'], rows);
  outputOf(shell, options).result(text, entries);
}

/** The members of an entry that depend on its type, with every digit of their numbers. */
function detailsOf(entry: string): string {
  const members = membersOf(entry, 'the journal');
  for (const column of ['seq', 'at', 'type']) members.delete(column);
  return objectOf(members).text;
}

async function instances(shell: Shell, wanted: string, options: CommonOptions): Promise<void> {
  const { platform, serviceId } = await ownService(shell, wanted);
  const all = await platform.listWorkflowInstances({ serviceId, limit: 100 });
  const output = outputOf(shell, options);
  if (all.length === 0) output.note('None.');
  const rows = all.map((one) => [one.id, one.version ?? '', one.phase, incidentsOf(one), one.createdAt]);
  output.result(all.length === 0 ? '' : table(['INSTANCE', 'VERSION', 'PHASE', 'INCIDENTS', 'BEGAN (UTC)'], rows), all);
}

/** The number of open incidents, and that of what the instance has called. */
function incidentsOf({ incidents: own, childIncidents }: WorkflowInstance): string {
  return childIncidents === 0 ? String(own) : `${own}, ${childIncidents} in what it calls`;
}

async function incidents(shell: Shell, wanted: string, options: CommonOptions): Promise<void> {
  const { platform, serviceId } = await ownService(shell, wanted);
  const all = await platform.listWorkflowIncidents({ serviceId });
  const output = outputOf(shell, options);
  if (all.length === 0) output.note('None.');
  const rows = all.map((one) => [one.instanceId, String(one.incident), one.elementId, one.type, one.error.message]);
  for (const remedy of new Set(all.flatMap((one) => one.remedy ?? []))) output.note(remedy);
  output.result(all.length === 0 ? '' : table(['INSTANCE', 'INCIDENT', 'ELEMENT', 'TYPE', 'MESSAGE'], rows), all);
}

async function incidentGroups(shell: Shell, options: CommonOptions): Promise<void> {
  const { platform } = await openSession(shell);
  const all = await platform.listWorkflowIncidentGroups({});
  const output = outputOf(shell, options);
  if (all.length === 0) output.note('None.');
  const rows = all.map((one) => [
    one.serviceName,
    one.version,
    one.elementId,
    one.errorCode,
    String(one.incidents),
    one.newest.error.message,
  ]);
  const head = ['SERVICE', 'VERSION', 'ELEMENT', 'ERROR', 'INCIDENTS', 'NEWEST'];
  output.result(all.length === 0 ? '' : table(head, rows), all);
}

async function retryAll(shell: Shell, wanted: string, options: RetryAllOptions): Promise<void> {
  const { element, error } = options;
  const variables = options.variables === undefined ? undefined : await readVariables(shell, options.variables);
  const { platform, serviceId } = await ownService(shell, wanted);
  const receipt = await platform.retryWorkflowIncidents({
    jsonText: jsonOf({ serviceId, elementId: element, errorCode: error, variables }).text,
  });
  const output = outputOf(shell, options);
  if (receipt.foreign > 0)
    output.note(`${receipt.foreign} were started for others: try these again without --variables.`);
  if (receipt.isLeft) output.note('There are more. Repeat the command when these are done.');
  output.result(`${receipt.retried} incidents are tried again.`, receipt);
}

async function show(shell: Shell, instance: string, options: CommonOptions): Promise<void> {
  const { platform } = await openSession(shell);
  const found = await platform.getWorkflowInstance({ instanceId: instance });
  outputOf(shell, options).result(layOut(jsonOf(found)), found);
}

async function scopes(shell: Shell, instanceId: string, options: ScopesOptions): Promise<void> {
  const { step, element: elementId } = options;
  const { platform } = await openSession(shell);
  const found = await platform.getWorkflowVariables({ instanceId, step, elementId });
  const output = outputOf(shell, options);
  if (found.isPartial) output.note('There are more scopes. Name an element with --element.');
  output.result(layOut(jsonOf(found)), found);
}

async function retry(shell: Shell, instance: string, wanted: string, options: VariablesOptions): Promise<void> {
  const incident = Number(wanted);
  if (!Number.isSafeInteger(incident) || incident < 1)
    throw usageFailure('The incident is named by its number.', 'ket workflow incidents <service>');
  const variables = options.variables === undefined ? undefined : await readVariables(shell, options.variables);
  const { platform } = await openSession(shell);
  const found = await platform.retryWorkflowIncident({
    instanceId: instance,
    incident,
    jsonText: jsonOf({ variables }).text,
  });
  outputOf(shell, options).result(`Incident ${incident} is tried again.`, found);
}

async function schedules(shell: Shell, wanted: string, options: CommonOptions): Promise<void> {
  const { platform, serviceId } = await ownService(shell, wanted);
  const all = await platform.listWorkflowSchedules({ serviceId });
  const output = outputOf(shell, options);
  if (all.length === 0) output.note('None.');
  const rows = all.map((one) => [
    one.elementId,
    one.version,
    one.stoppedAt === undefined ? (one.nextAt ?? '') : `stopped ${one.stoppedAt}`,
    String(one.failures),
    one.failure ?? '',
  ]);
  output.result(
    all.length === 0 ? '' : table(['ELEMENT', 'VERSION', 'NEXT (UTC)', 'FAILURES', 'LAST FAILURE'], rows),
    all,
  );
}

async function retrySchedule(shell: Shell, wanted: string, elementId: string, options: CommonOptions): Promise<void> {
  const { platform, serviceId } = await ownService(shell, wanted);
  const schedule = await platform.retryWorkflowSchedule({ serviceId, elementId });
  outputOf(shell, options).result(`${elementId} is tried again.`, schedule);
}

async function ownService(shell: Shell, wanted: string) {
  const session = await openSession(shell);
  const { id } = await requireOwnService(session, wanted);
  return { platform: session.platform, serviceId: id };
}

/** The variables of a file, with every digit of their numbers. */
async function readVariables(shell: Shell, name: string): Promise<JsonText> {
  const file = path.resolve(shell.folder, name);
  return objectOf(membersOf(await readFile(file, 'utf8'), file));
}
