import { mkdir } from 'node:fs/promises';
import { isEnded, readBody, type ExecutionsEndpoint } from '@kethub/client';
import type { ServiceExecution } from '@kethub/contract';
import { download } from '../download.ts';
import { CliFailure } from '../failures.ts';
import { layOut, membersOf, objectOf, parseObject, type JsonText } from '../json.ts';
import { endWith, type Shell } from '../shell.ts';
import { printable, type Output } from '../terminal/output.ts';

/** The result of an execution, in its parts. */
export interface Outcome {
  /** The value that the service returned, or the cause of its failure, as the platform sent it. */
  readonly result: JsonText;
  /** Names of its files. */
  readonly files: readonly string[];
}

/** Reads the result of an execution that has ended. */
export async function readOutcome(executions: ExecutionsEndpoint, id: string): Promise<Outcome> {
  const response = await executions.getResult.response({ id });
  const members = membersOf(await readBody(response, undefined, () => response.text()), 'The result');
  const links = [...membersOf(members.get('_links') ?? '{}', '_links of the result').keys()];
  members.delete('_links');
  members.delete('_embedded');
  return { result: objectOf(members), files: links.filter((name) => name !== 'self' && name !== 'status') };
}

/**
 * Shows how an execution has ended: prints the result, downloads its files if a folder is named, and sets the exit
 * code. The cause of a failure goes to standard error, so that no program takes it for a result.
 */
export async function showOutcome(
  shell: Shell,
  output: Output,
  executions: ExecutionsEndpoint,
  execution: ServiceExecution,
  outputFolder: string | null,
): Promise<void> {
  const { id, status } = execution;
  const { result, files } = await readOutcome(executions, id);
  const paths = outputFolder === null ? [] : await downloadAll(output, executions, id, files, outputFolder);
  const succeeded = status === 'SUCCEEDED';
  if (succeeded) output.note(output.style.green(`${status} ${durationOf(execution)}`));
  else showCause(shell, output, execution, result);
  if (outputFolder === null && files.length > 0) {
    output.note(`Files: ${files.map((name) => printable(name, shell.stderr.isTTY)).join(', ')}`);
    output.note(`  ${shell.command} result ${id} --output-dir <folder>`);
  }
  output.result(succeeded ? layOut(result) : '', {
    execution,
    endpoint: executions.endpoint,
    result,
    files: files.map((name, index) => ({ name, ...(paths.length > 0 && { path: paths[index] }) })),
  });
  if (status === 'FAILED') endWith(shell, 'failed');
  else if (!succeeded) endWith(shell, 'stopped');
}

/** Downloads the files one after the other, so that the platform does not get all requests at once. */
async function downloadAll(
  output: Output,
  executions: ExecutionsEndpoint,
  id: string,
  files: readonly string[],
  folder: string,
): Promise<string[]> {
  const paths: string[] = [];
  // A script that reads the folder afterwards finds it, also when there are no files.
  await mkdir(folder, { recursive: true });
  if (files.length === 0) output.note(`No files for ${folder}`);
  for (const name of files) {
    output.progress(`Downloading ${JSON.stringify(name)}`);
    paths.push(await download(folder, name, () => executions.getResultFile({ id, file: name })));
  }
  output.settle();
  for (const file of paths) output.note(`Saved ${file}`);
  return paths;
}

/** Errors of a workflow that are shown. It can have one per round of a loop; more are only counted. */
const SHOWN_ERRORS = 10;

function showCause(shell: Shell, output: Output, { id, status }: ServiceExecution, result: JsonText): void {
  const cause = parseObject(result.text, 'The result');
  const text = ['title', 'detail'].flatMap((member) => (typeof cause[member] === 'string' ? [cause[member]] : []));
  const shown = printable(text.join(': '), shell.stderr.isTTY);
  output.note([output.style.red(status), ...(shown === '' ? [] : [shown])].join(' '));
  const errors = workflowErrors(cause['errors']);
  for (const line of errors.slice(0, SHOWN_ERRORS)) output.note(`  ${printable(line, shell.stderr.isTTY)}`);
  if (errors.length > SHOWN_ERRORS)
    output.note(`  and ${errors.length - SHOWN_ERRORS} more; all of them: ${shell.command} result ${id} --json`);
  output.note(`  ${shell.command} logs ${id}    shows what the code has written`);
}

/** The errors of a workflow, one line each: its code, the element that failed, and the message. */
function workflowErrors(errors: unknown): string[] {
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((error: unknown) => {
    if (typeof error !== 'object' || error === null || !('errorCode' in error)) return [];
    const { errorCode, failedElement, message }: Partial<Record<string, unknown>> = { ...error };
    const line = `${textOf(errorCode)} at ${textOf(failedElement)}: ${textOf(message)}`;
    return [line.replaceAll(/\s*[\r\n]\s*/g, ' ')];
  });
}

/** A text member of the answer, or `?` for anything else. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '?';
}

/** Throws not-yet-there for an execution that has not ended. */
export function requireEnded({ id, status }: ServiceExecution): void {
  if (isEnded({ status })) return;
  throw new CliFailure('notFound', 'result-not-available', `The execution is ${status}: it has no result yet.`, [
    `ket result ${id} --wait`,
    `ket logs ${id} --follow`,
  ]);
}

/** The run time between two timestamps of whole seconds: `after 3 s`. */
function durationOf({ createdAt, startedAt, endedAt }: ServiceExecution): string {
  if (endedAt === undefined) return '';
  const seconds = (at: string) => Date.parse(`${at.replace(' ', 'T')}Z`) / 1000;
  const duration = seconds(endedAt) - seconds(startedAt ?? createdAt);
  return duration < 1 ? 'in less than a second' : `after ${duration} s`;
}
