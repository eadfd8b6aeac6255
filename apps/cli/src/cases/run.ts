import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isEnded, KethubError, readBody, type GatewayClient } from '@kethub/client';
import { judge, readCases, type Case, type Outcome, type Verdict } from './cases.ts';
import { junitOf } from './junit.ts';
import { CliFailure } from '../failures.ts';
import { JsonText, layOut, membersOf, objectOf } from '../json.ts';
import { selectService } from '../platform/select-service.ts';
import { openSession } from '../platform/session.ts';
import { findProject } from '../project/find.ts';
import { requireManifest } from '../project/manifest.ts';
import { serveFolder, type ServeOptions } from '../serve/serve.ts';
import { endWith, outputOf, type CommonOptions, type Shell } from '../shell.ts';
import { interruptible } from '../terminal/interrupt.ts';
import type { Output } from '../terminal/output.ts';
import { callService, executionIn } from '../commands/answer.ts';
import { readOutcome } from '../commands/outcome.ts';

export interface TestOptions
  extends
    CommonOptions,
    Pick<ServeOptions, 'mode' | 'python' | 'image' | 'network' | 'secret' | 'envFile' | 'inheritEnv' | 'dataPool'> {
  readonly exact?: boolean;
  readonly remote?: boolean;
  readonly junit?: string;
  readonly update?: boolean;
}

type Call = (input: string) => Promise<Outcome>;

/** Runs the cases of a project, reports on them, and sets the exit code. */
export async function runCases(shell: Shell, wanted: string | undefined, options: TestOptions): Promise<void> {
  const output = outputOf(shell, options);
  const folder =
    wanted === undefined ? ((await findProject(shell.folder)) ?? shell.folder) : path.resolve(shell.folder, wanted);
  const cases = await readCases(shell, folder, options.exact === true, (without) => {
    output.note(output.style.yellow(`test/${without} has no input.json, so it is no case.`));
  });
  const verdicts = await interruptible((signal) =>
    options.remote === true
      ? onPlatform(shell, folder).then((call) => runAll(output, cases, call, options, signal))
      : here(shell, output, folder, options, (call) => runAll(output, cases, call, options, signal)),
  );
  if (options.junit !== undefined) {
    const file = path.resolve(shell.folder, options.junit);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, junitOf(path.basename(folder), verdicts));
  }
  const failed = verdicts.filter(({ failures }) => failures.length > 0).length;
  const words = `${verdicts.length - failed} of ${verdicts.length} cases are as expected.`;
  output.note(failed === 0 ? output.style.green(words) : output.style.red(words));
  output.result('', {
    passed: failed === 0,
    cases: verdicts.map(({ name, milliseconds, failures }) => ({ name, milliseconds, failures })),
  });
  if (failed > 0) endWith(shell, 'failed');
}

async function runAll(
  output: Output,
  cases: readonly Case[],
  call: Call,
  { update = false }: TestOptions,
  signal: AbortSignal,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const one of cases) {
    signal.throwIfAborted();
    const began = performance.now();
    const outcome = await call(one.input);
    const failures = update ? await keep(one, outcome) : judge(one, outcome);
    const milliseconds = Math.round(performance.now() - began);
    verdicts.push({ name: one.name, milliseconds, failures, outcome });
    if (failures.length === 0)
      output.note(`${output.style.green('ok')}      ${one.name} ${output.style.dim(`${milliseconds} ms`)}`);
    else output.note(`${output.style.red('differs')} ${one.name}`);
    for (const failure of failures) output.note(`        ${failure}`);
  }
  return verdicts;
}

/** Writes the result of a case as the expected one. A status that is not expected is a failure all the same. */
async function keep(one: Case, outcome: Outcome): Promise<string[]> {
  const failures = judge({ ...one, expected: null }, outcome);
  if (failures.length > 0 || one.expectedFile === null) return failures;
  await mkdir(path.dirname(one.expectedFile), { recursive: true });
  await writeFile(one.expectedFile, `${layOut(new JsonText(outcome.result))}\n`);
  return [];
}

/** Runs the cases by a local development server of their own, which ends with them. */
async function here(
  shell: Shell,
  output: Output,
  folder: string,
  options: TestOptions,
  run: (call: Call) => Promise<Verdict[]>,
): Promise<Verdict[]> {
  const served = await serveFolder(shell, output, folder, { ...options, port: 0, quiet: true, state: 'test' });
  try {
    await served.start();
    const { problem } = served.service;
    if (problem !== null) throw new CliFailure('failed', problem.code, `${problem.title}. ${problem.detail}`);
    output.note(output.style.dim(`mode ${served.mode}: ${served.about}`));
    return await run((input) => callHere(served.url, input));
  } finally {
    await served.close();
  }
}

async function callHere(url: string, input: string): Promise<Outcome> {
  const headers = { 'content-type': 'application/json', prefer: 'wait=60' };
  let answer = await fetch(url, { method: 'POST', headers, body: input });
  for (;;) {
    const text = await answer.text();
    const body = JSON.parse(text) as { id?: string; status: string; title?: string };
    if (!answer.ok || body.id === undefined) return { status: 'REFUSED', result: text, log: '' };
    if (body.status !== 'PENDING' && body.status !== 'RUNNING') {
      const [result, log] = await Promise.all([
        fetch(`${url}${body.id}/result`).then((one) => one.text()),
        fetch(`${url}${body.id}/log`, { headers: { accept: 'text/plain' } }).then((one) => one.text()),
      ]);
      return { status: body.status, result: withoutHal(result), log };
    }
    answer = await fetch(`${url}${body.id}`, { headers: { prefer: 'wait=60' } });
  }
}

/** Calls the service of this name through the application of the command line. */
async function onPlatform(shell: Shell, folder: string): Promise<Call> {
  const session = await openSession(shell);
  const { endpoint } = await selectService(session, (await requireManifest(folder)).name);
  const executions = await session.gateway(endpoint);
  return (input) => callThere(executions, input);
}

/** Answers to an input that does not fit. Any other refusal, such as a lack of rights, is about every case. */
const INPUT_REFUSED = [400, 413, 422];

async function callThere(executions: GatewayClient, input: string): Promise<Outcome> {
  let answer: Awaited<ReturnType<typeof callService>>;
  try {
    answer = await callService(executions, input);
  } catch (error) {
    if (!(error instanceof KethubError) || !INPUT_REFUSED.includes(error.status)) throw error;
    const { code: type, title, detail } = error;
    return { status: 'REFUSED', result: JSON.stringify({ type, title, detail }), log: '' };
  }
  const execution = executionIn(answer);
  if (execution === null)
    throw new CliFailure(
      'usage',
      'no-executions',
      'This service runs elsewhere and makes no executions: it has no cases.',
    );
  let last = execution;
  if (!isEnded(last)) for await (const status of executions.watch(execution.id)) last = status;
  const { result } = await readOutcome(executions, execution.id);
  const response = await executions.getLog.response({ id: execution.id, headers: { accept: 'text/plain' } });
  const log = await readBody(response, undefined, () => response.text());
  return { status: last.status, result: result.text, log };
}

/** The text of a result without its HAL members. */
function withoutHal(text: string): string {
  const members = membersOf(text, 'The result');
  members.delete('_links');
  members.delete('_embedded');
  return objectOf(members).text;
}
